-- The last number of each epoch that is over. What a log holds beyond it never happened.
CREATE TABLE IF NOT EXISTS closed_epochs (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  closed_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard, epoch)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

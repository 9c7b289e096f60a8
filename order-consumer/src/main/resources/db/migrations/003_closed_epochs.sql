-- The last number of each epoch that is over. What a log holds beyond it never happened. When Redis
-- came back with less, the number was lowered; lowered_by is the epoch whose opening did it (0 for
-- none), so whoever decided under an earlier epoch, and after this one, may hold more than counts.
CREATE TABLE IF NOT EXISTS closed_epochs (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  lowered_by BIGINT NOT NULL,
  closed_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard, epoch)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

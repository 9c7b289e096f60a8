-- A region and its S, which is fixed for the life of the data.
CREATE TABLE IF NOT EXISTS regions (
  region SMALLINT NOT NULL,
  shard_count SMALLINT NOT NULL,
  joined_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- What changes what a shard may sell, numbered for each (item, shard). Written before Redis hears
-- of it; APPLIED only by the transaction that stores its log entry.
CREATE TABLE IF NOT EXISTS moves (
  item_id BIGINT NOT NULL,
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  number BIGINT NOT NULL,
  kind VARCHAR(16) NOT NULL,
  units BIGINT NOT NULL,
  request_id VARCHAR(64) NOT NULL,
  state VARCHAR(16) NOT NULL,
  created_at_ms BIGINT NOT NULL,
  applied_epoch BIGINT NOT NULL,
  applied_seq BIGINT NOT NULL,
  PRIMARY KEY (item_id, region, shard, number),
  KEY moves_outstanding (state, region, item_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

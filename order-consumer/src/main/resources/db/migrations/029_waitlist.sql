-- Who waits for a unit of an item, as far as the shard's log is stored: under the name of his join
-- entry, whose order is the order of the line. at_ms is Redis time. Those of an item that the shard
-- has forgotten are deleted a few at a time, later.
CREATE TABLE IF NOT EXISTS waitlist (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  item_id BIGINT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard, item_id, user_id),
  KEY waitlist_in_order (region, shard, epoch, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

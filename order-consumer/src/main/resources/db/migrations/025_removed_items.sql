-- Archived items that a shard has forgotten: its log entry that says so is stored. When every shard
-- has, items.archived becomes 1.
CREATE TABLE IF NOT EXISTS removed_items (
  region SMALLINT NOT NULL,
  item_id BIGINT NOT NULL,
  shard SMALLINT NOT NULL,
  removed_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, item_id, shard)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

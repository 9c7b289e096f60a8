-- cap: most units that shards may have been given, -1 without one. reserve: units that no shard may
-- sell because of it. group_id: empty for an item of no group. units_in and units_out count neither
-- moves between shards nor what never left the reserve.
ALTER TABLE items
  ADD COLUMN reserve BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN cap BIGINT NOT NULL DEFAULT -1,
  ADD COLUMN group_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  ADD COLUMN group_limit INT NOT NULL DEFAULT 0,
  ADD KEY items_of_group (group_id)

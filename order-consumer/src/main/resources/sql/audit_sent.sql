-- Units sent to other shards up to a place; less entries that are counted otherwise, because they
-- are in the log and not stored in their turn yet.
SELECT s.item_id, SUM(s.units)
FROM (
  SELECT item_id, units FROM transfers
  WHERE region = ? AND from_shard = ? AND (epoch < ? OR (epoch = ? AND seq <= ?))
  UNION ALL
  SELECT t.item_id, -t.units
  FROM JSON_TABLE(?, '$[*]' COLUMNS (epoch BIGINT PATH '$[0]', seq BIGINT PATH '$[1]')) j
  STRAIGHT_JOIN transfers t ON t.region = ? AND t.from_shard = ? AND t.epoch = j.epoch
    AND t.seq = j.seq) s
GROUP BY s.item_id

-- Per item, of numbers of an epoch: the last move, how often units came in, units that came in, that
-- went out, and that came from other shards.
SELECT l.item_id, MAX(l.move_number), SUM(CASE WHEN l.kind = 'in' THEN 1 ELSE 0 END),
  SUM(CASE WHEN l.kind = 'out' OR m.kind = 'TRANSFER' THEN 0 ELSE l.units END),
  SUM(CASE WHEN l.kind = 'out' THEN l.units ELSE 0 END),
  SUM(CASE WHEN m.kind = 'TRANSFER' THEN l.units ELSE 0 END)
FROM shard_log l
LEFT JOIN moves m ON m.item_id = l.item_id AND m.region = l.region AND m.shard = l.shard
  AND m.number = l.move_number
WHERE l.region = ? AND l.shard = ? AND l.epoch = ? AND l.seq > ? AND l.seq <= ?
  AND l.kind IN ('in', 'out') AND l.effective = 1
GROUP BY l.item_id

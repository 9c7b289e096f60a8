-- Units that came in and went out up to a place.
SELECT o.item_id, SUM(CASE WHEN o.kind = 'in' THEN o.units ELSE 0 END),
  SUM(CASE WHEN o.kind = 'out' THEN o.units ELSE 0 END)
FROM shard_log o
WHERE o.region = ? AND o.shard = ? AND (o.epoch < ? OR (o.epoch = ? AND o.seq <= ?))
  AND o.kind IN ('in', 'out') AND o.effective = 1
GROUP BY o.item_id

SELECT o.item_id, SUM(o.units)
FROM shard_log o
WHERE o.region = ? AND o.shard = ? AND (o.epoch < ? OR (o.epoch = ? AND o.seq <= ?)) AND o.kind = 'in' AND o.effective = 1
GROUP BY o.item_id

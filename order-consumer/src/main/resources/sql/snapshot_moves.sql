SELECT item_id, MAX(move_number), COUNT(*), SUM(units)
FROM shard_log
WHERE region = ? AND shard = ? AND kind = 'in' AND effective = 1
GROUP BY item_id

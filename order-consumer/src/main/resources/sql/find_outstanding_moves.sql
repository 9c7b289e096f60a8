-- Of one item, or of all for item 0.
SELECT item_id, shard, number, kind, units
FROM moves
WHERE state = 'PENDING' AND region = ? AND (item_id = ? OR ? = 0)
ORDER BY item_id, shard, number

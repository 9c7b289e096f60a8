-- So that none of them is archived before this transaction ends.
SELECT i.item_id, i.state
FROM order_lines l
JOIN items i ON i.item_id = l.item_id
WHERE l.region = ? AND l.shard = ? AND l.epoch = ? AND l.seq = ?
ORDER BY i.item_id
LOCK IN SHARE MODE

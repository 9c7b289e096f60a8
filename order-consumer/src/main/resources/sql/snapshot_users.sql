-- The next users with orders of an item in a shard.
SELECT DISTINCT o.user_id
FROM order_lines l
JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
  AND o.seq = l.seq
WHERE l.region = ? AND l.shard = ? AND l.item_id = ? AND o.reason <> 'LOST' AND o.user_id > ?
ORDER BY o.user_id
LIMIT ?

-- Held orders of an item after a place, oldest first.
SELECT o.epoch, o.seq, o.user_id
FROM orders o
JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq AND l.item_id = ?
WHERE o.region = ? AND o.shard = ? AND (o.epoch > ? OR (o.epoch = ? AND o.seq > ?))
  AND (o.epoch < ? OR (o.epoch = ? AND o.seq <= ?)) AND o.held_units > 0
ORDER BY o.epoch, o.seq
LIMIT 500

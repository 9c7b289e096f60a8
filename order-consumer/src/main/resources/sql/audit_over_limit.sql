SELECT o.user_id, SUM(l.quantity), MAX(l.limit_per_user)
FROM order_lines l
JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch AND o.seq = l.seq
WHERE l.item_id = ? AND o.held_units > 0
GROUP BY o.user_id
HAVING SUM(l.quantity) > MAX(l.limit_per_user)
LIMIT 20

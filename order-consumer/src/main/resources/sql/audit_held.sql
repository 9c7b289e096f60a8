-- What users behind one up to another hold of an item in a shard, and the highest limit that one of
-- those wins was checked against.
SELECT l.user_id, SUM(l.quantity), MAX(l.limit_per_user)
FROM order_lines l FORCE INDEX (order_lines_of_user)
STRAIGHT_JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
  AND o.seq = l.seq
WHERE l.item_id = ? AND l.region = ? AND l.shard = ? AND l.user_id > ? AND l.user_id <= ?
  AND o.held_units > 0
GROUP BY l.user_id

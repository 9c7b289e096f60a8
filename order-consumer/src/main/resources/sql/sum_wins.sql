-- Units won by numbers of an epoch, in any state, and in how many orders.
SELECT l.item_id, SUM(l.quantity), COUNT(*)
FROM orders o
STRAIGHT_JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq
WHERE o.region = ? AND o.shard = ? AND o.epoch = ? AND o.seq > ? AND o.seq <= ?
  AND NOT (o.status = 'FAILED' AND o.reason = 'LOST')
GROUP BY l.item_id

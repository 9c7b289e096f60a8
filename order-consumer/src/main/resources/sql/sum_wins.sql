-- Units won by numbers of an epoch, in any state, in how many orders, and how many of those came
-- from the waitlist.
SELECT l.item_id, SUM(l.quantity), COUNT(*), SUM(o.promoted)
FROM orders o
STRAIGHT_JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq
WHERE o.region = ? AND o.shard = ? AND o.epoch = ? AND o.seq > ? AND o.seq <= ?
  AND o.status <> 'FAILED'
GROUP BY l.item_id

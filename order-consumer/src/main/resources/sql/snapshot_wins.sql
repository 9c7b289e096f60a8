SELECT l.item_id, SUM(l.quantity)
FROM orders o
JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq
WHERE o.region = ? AND o.shard = ? AND NOT (o.status = 'FAILED' AND o.reason = 'LOST')
GROUP BY l.item_id

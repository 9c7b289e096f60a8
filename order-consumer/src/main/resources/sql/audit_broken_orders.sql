-- Orders of numbers of an epoch that hold neither nothing nor all of their lines, or say another
-- quantity than their lines.
SELECT o.epoch, o.seq, o.held_units, o.quantity, COALESCE(SUM(l.quantity), 0)
FROM orders o
LEFT JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq
WHERE o.region = ? AND o.shard = ? AND o.epoch = ? AND o.seq > ? AND o.seq <= ?
GROUP BY o.region, o.shard, o.epoch, o.seq, o.held_units, o.quantity
HAVING o.quantity <> COALESCE(SUM(l.quantity), 0)
  OR (o.held_units <> 0 AND o.held_units <> COALESCE(SUM(l.quantity), 0))
LIMIT 20

-- Users whose holding differs from the sum of their held orders.
SELECT user_id, SUM(recorded), SUM(summed)
FROM (
  SELECT user_id, units AS recorded, 0 AS summed FROM holdings WHERE item_id = ?
  UNION ALL
  SELECT o.user_id, 0, l.quantity
  FROM order_lines l
  JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
    AND o.seq = l.seq
  WHERE l.item_id = ? AND o.held_units > 0) a
GROUP BY user_id
HAVING SUM(recorded) <> SUM(summed)
LIMIT 20

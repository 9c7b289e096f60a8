-- The next users with orders of an item in a shard. A user with several
-- orders may come more than once: DISTINCT would read all users for every page.
SELECT l.user_id
FROM order_lines l FORCE INDEX (order_lines_of_user)
STRAIGHT_JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
  AND o.seq = l.seq
WHERE l.item_id = ? AND l.region = ? AND l.shard = ? AND l.user_id > ?
  AND o.status <> 'FAILED'
ORDER BY l.user_id
LIMIT ?

-- What users hold over several items in a shard, user by user by key.
SELECT l.user_id, SUM(l.quantity)
FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id VARCHAR(64) PATH '$')) u
STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (item_id BIGINT PATH '$')) i
STRAIGHT_JOIN order_lines l FORCE INDEX (order_lines_of_user)
  ON l.item_id = i.item_id AND l.region = ? AND l.shard = ? AND l.user_id = u.user_id
STRAIGHT_JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
  AND o.seq = l.seq
WHERE o.held_units > 0
GROUP BY l.user_id

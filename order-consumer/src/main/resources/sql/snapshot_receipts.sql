-- Their orders of the item, oldest first. User by user by key: without being told, an optimizer may
-- read all lines of the item.
SELECT l.user_id, o.key_digest, o.body_digest, l.epoch, l.seq, l.quantity, o.held_units,
  o.won_at_ms
FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id VARCHAR(64) PATH '$')) j
STRAIGHT_JOIN order_lines l FORCE INDEX (order_lines_of_user)
  ON l.item_id = ? AND l.region = ? AND l.shard = ? AND l.user_id = j.user_id
STRAIGHT_JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
  AND o.seq = l.seq
WHERE o.status <> 'FAILED'
ORDER BY l.user_id, l.epoch, l.seq

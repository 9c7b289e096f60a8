-- Orders of users that changed since a moment, oldest change first, user by user by key.
SELECT o.region, o.shard, o.epoch, o.seq, o.user_id, o.status, o.reason, o.promoted,
  o.changed_at_ms
FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id VARCHAR(64) PATH '$')) u
STRAIGHT_JOIN orders o FORCE INDEX (orders_of_user) ON o.user_id = u.user_id
WHERE o.changed_at_ms >= ?
ORDER BY o.changed_at_ms, o.region, o.shard, o.epoch, o.seq
LIMIT ?

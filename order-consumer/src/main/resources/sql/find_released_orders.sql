-- The orders of the wins that a batch releases, with their lines. The win of a FAILED one is a dead
-- letter's.
SELECT o.epoch, o.seq, o.user_id, l.item_id, l.quantity, o.status, o.promoted
FROM JSON_TABLE(?, '$[*]' COLUMNS (epoch BIGINT PATH '$[0]', seq BIGINT PATH '$[1]')) j
JOIN orders o ON o.region = ? AND o.shard = ? AND o.epoch = j.epoch AND o.seq = j.seq
  AND o.status <> 'FAILED'
JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq

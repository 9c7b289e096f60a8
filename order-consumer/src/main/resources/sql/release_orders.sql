-- Held becomes 0 once. An order that still waited for its money cannot be paid any more. The reason
-- comes before the status that it looks at.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
  epoch BIGINT PATH '$[0]',
  seq BIGINT PATH '$[1]',
  reason VARCHAR(64) PATH '$[2]')) j
STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY)
  ON o.region = ? AND o.shard = ? AND o.epoch = j.epoch AND o.seq = j.seq
SET o.held_units = 0,
  o.reason = CASE WHEN o.status = 'PENDING_PAYMENT' THEN j.reason ELSE o.reason END,
  o.status = CASE WHEN o.status = 'PENDING_PAYMENT' THEN 'CANCELLED' ELSE o.status END
WHERE o.held_units > 0

-- Held becomes 0 once. An order that still waited for its money cannot be paid any more, and had no
-- reason yet: that tells it from one that was cancelled before. In which order the assignments are
-- made nobody promises, so each is right before and after the others.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
  epoch BIGINT PATH '$[0]',
  seq BIGINT PATH '$[1]',
  reason VARCHAR(64) PATH '$[2]')) j
STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY)
  ON o.region = ? AND o.shard = ? AND o.epoch = j.epoch AND o.seq = j.seq
SET o.held_units = 0,
  o.reason = CASE WHEN o.reason = '' AND o.status IN ('PENDING_PAYMENT', 'CANCELLED')
    THEN j.reason ELSE o.reason END,
  o.status = CASE WHEN o.status = 'PENDING_PAYMENT' THEN 'CANCELLED' ELSE o.status END,
  o.changed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE o.held_units > 0

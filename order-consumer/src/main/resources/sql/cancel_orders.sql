-- They still hold their units: those go back when the entry of the release is stored. By key: a scan
-- would wait for orders that somebody else changes.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
  region INT PATH '$[0]',
  shard INT PATH '$[1]',
  epoch BIGINT PATH '$[2]',
  seq BIGINT PATH '$[3]')) j
STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY)
  ON o.region = j.region AND o.shard = j.shard AND o.epoch = j.epoch AND o.seq = j.seq
SET o.status = 'CANCELLED', o.reason = ?,
  o.changed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE o.status = 'PENDING_PAYMENT'

-- One JSON parameter for any number of rows: measured 22,600 orders a second against 16,900 with
-- multi-row VALUES (MariaDB 11.4, two cores, 1,000 rows a statement). The time to pay runs from
-- storing, by MySQL's clock.
INSERT INTO orders (
  region, shard, epoch, seq, user_id, key_digest, body_digest, status, reason, held_units,
  quantity, total_minor, currency, won_at_ms, promoted, created_at_ms, changed_at_ms, pay_by_ms)
SELECT ?, ?, ?, j.seq, j.user_id, j.key_digest, j.body_digest, j.status, j.reason, j.held_units,
  j.quantity, j.total_minor, j.currency, j.won_at_ms, j.promoted, c.now_ms, c.now_ms,
  c.now_ms + j.pay_within_ms
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  seq BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]',
  key_digest VARCHAR(16) PATH '$[2]',
  body_digest VARCHAR(16) PATH '$[3]',
  status VARCHAR(16) PATH '$[4]',
  reason VARCHAR(64) PATH '$[5]',
  held_units INT PATH '$[6]',
  quantity INT PATH '$[7]',
  total_minor BIGINT PATH '$[8]',
  currency VARCHAR(3) PATH '$[9]',
  won_at_ms BIGINT PATH '$[10]',
  pay_within_ms BIGINT PATH '$[11]',
  promoted INT PATH '$[12]')) j
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c

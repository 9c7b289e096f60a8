-- In the transaction of the changes that they tell.
INSERT INTO notifications (
  user_id, order_id, status, reason, promoted, state, tries, failure, next_at_ms, created_at_ms)
SELECT j.user_id, j.order_id, j.status, j.reason, j.promoted, 'PENDING', 0, '', c.now_ms, c.now_ms
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  line FOR ORDINALITY,
  user_id VARCHAR(64) PATH '$[0]',
  order_id VARCHAR(26) PATH '$[1]',
  status VARCHAR(16) PATH '$[2]',
  reason VARCHAR(64) PATH '$[3]',
  promoted INT PATH '$[4]')) j
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c
ORDER BY j.line

-- How long the oldest unpaid order is over its time, how many releases are not stored, and how
-- long the oldest of them has waited; how many dead letters are open, and since when the oldest; 0
-- for nothing. In milliseconds.
SELECT
  (SELECT COALESCE(c.now_ms - MIN(o.pay_by_ms), 0) FROM orders o
    WHERE o.status = 'PENDING_PAYMENT' AND o.pay_by_ms <= c.now_ms),
  (SELECT COUNT(*) FROM outbox x WHERE x.state = 'PENDING'),
  (SELECT COALESCE(c.now_ms - MIN(x.created_at_ms), 0) FROM outbox x WHERE x.state = 'PENDING'),
  (SELECT COUNT(*) FROM dead_letters d WHERE d.state = 'OPEN'),
  (SELECT COALESCE(c.now_ms - MIN(d.created_at_ms), 0) FROM dead_letters d WHERE d.state = 'OPEN')
FROM (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c

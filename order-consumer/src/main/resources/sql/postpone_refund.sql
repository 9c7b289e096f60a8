UPDATE refunds
SET tries = tries + 1, next_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 + ?
WHERE id = ? AND state = 'PENDING'

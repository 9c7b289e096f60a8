-- Whoever has these rows locked may take them; others take the next ones.
SELECT id, user_id, order_id, status, reason, promoted, tries, created_at_ms
FROM notifications
WHERE state = 'PENDING' AND next_at_ms <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
ORDER BY next_at_ms
LIMIT ?
FOR UPDATE SKIP LOCKED

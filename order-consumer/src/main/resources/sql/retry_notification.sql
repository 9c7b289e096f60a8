-- Not at once: a later one of the same user may be on its way, and must have arrived.
UPDATE notifications
SET state = 'PENDING', tries = 0, next_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 + ?
WHERE id = ? AND state = 'DEAD'

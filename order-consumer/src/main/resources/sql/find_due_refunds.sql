-- Whoever has these rows locked has taken them; others take the next ones.
SELECT id, region, shard, epoch, seq, payment_id, amount_minor, currency, tries
FROM refunds
WHERE state = 'PENDING' AND next_at_ms <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
ORDER BY next_at_ms
LIMIT ?
FOR UPDATE SKIP LOCKED

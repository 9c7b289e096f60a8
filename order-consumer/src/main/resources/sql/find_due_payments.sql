-- Open for so long that the provider is asked. Whoever has these rows locked has taken them.
SELECT payment_id, region, shard, epoch, seq, amount_minor, currency,
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 - created_at_ms
FROM payments
WHERE state = 'OPEN' AND ask_at_ms <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
ORDER BY ask_at_ms
LIMIT ?
FOR UPDATE SKIP LOCKED

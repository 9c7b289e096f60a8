-- The money of one payment goes back.
INSERT INTO refunds (
  region, shard, epoch, seq, payment_id, amount_minor, currency, state, created_at_ms, done_at_ms)
SELECT region, shard, epoch, seq, payment_id, amount_minor, currency, 'PENDING',
  TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 0
FROM payments
WHERE payment_id = ? AND state = 'PAID'

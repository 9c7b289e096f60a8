-- Everything that was paid for an order and is not on its way back.
INSERT INTO refunds (
  region, shard, epoch, seq, payment_id, amount_minor, currency, state, created_at_ms, done_at_ms)
SELECT p.region, p.shard, p.epoch, p.seq, p.payment_id, p.amount_minor, p.currency, 'PENDING', c.now_ms, 0
FROM payments p
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c
WHERE p.region = ? AND p.shard = ? AND p.epoch = ? AND p.seq = ? AND p.state = 'PAID'
  AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.payment_id = p.payment_id)

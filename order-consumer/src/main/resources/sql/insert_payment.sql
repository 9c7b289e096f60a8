INSERT INTO payments (
  payment_id, region, shard, epoch, seq, amount_minor, currency, state, provider_ref, told_minor,
  told_currency, created_at_ms, ask_at_ms, done_at_ms)
SELECT ?, ?, ?, ?, ?, ?, ?, 'OPEN', '', 0, '', c.now_ms, c.now_ms + ?, 0
FROM (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c

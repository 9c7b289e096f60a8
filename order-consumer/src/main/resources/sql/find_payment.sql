SELECT region, shard, epoch, seq, amount_minor, currency, state
FROM payments
WHERE payment_id = ?

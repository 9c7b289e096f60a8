SELECT payment_id
FROM payments
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND state = 'OPEN'
ORDER BY created_at_ms, payment_id
LIMIT 1

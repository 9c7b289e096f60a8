SELECT user_id, status, reason, total_minor, currency, won_at_ms, pay_by_ms, promoted
FROM orders
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ?

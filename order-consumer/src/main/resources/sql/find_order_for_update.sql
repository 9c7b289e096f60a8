-- Whoever changes an order's state holds its row from here on.
SELECT user_id, status, reason, total_minor, currency, pay_by_ms, promoted
FROM orders
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ?
FOR UPDATE

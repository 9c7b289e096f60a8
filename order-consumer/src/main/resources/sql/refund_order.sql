UPDATE orders SET status = 'REFUND_PENDING', reason = ?
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND status = 'PAID'

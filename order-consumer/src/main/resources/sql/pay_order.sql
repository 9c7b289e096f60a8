-- The state decides, not the clock: until the time-out job has come, money is welcome.
UPDATE orders SET status = 'PAID'
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND status = 'PENDING_PAYMENT'

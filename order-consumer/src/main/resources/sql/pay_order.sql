-- The state decides, not the clock: until the time-out job has come, money is welcome.
UPDATE orders SET status = 'PAID',
  changed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND status = 'PENDING_PAYMENT'

-- Held becomes 0 once. An order that still waited for its money cannot be paid any more.
UPDATE orders
SET held_units = 0,
  reason = CASE WHEN status = 'PENDING_PAYMENT' THEN ? ELSE reason END,
  status = CASE WHEN status = 'PENDING_PAYMENT' THEN 'CANCELLED' ELSE status END
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND held_units > 0

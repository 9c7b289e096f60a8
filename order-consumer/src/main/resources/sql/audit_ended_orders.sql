-- Orders of numbers of an epoch that ended, hold their units, and nobody is to give those back; or
-- of which units are to be given back that they do not hold. Units of an archived item stay. What a
-- FAILED order has to do with units, its dead letter says.
SELECT o.epoch, o.seq, o.held_units, CASE WHEN x.id IS NULL THEN 0 ELSE 1 END
FROM orders o
LEFT JOIN outbox x ON x.region = o.region AND x.shard = o.shard AND x.epoch = o.epoch
  AND x.seq = o.seq AND x.state = 'PENDING'
WHERE o.region = ? AND o.shard = ? AND o.epoch = ? AND o.seq > ? AND o.seq <= ?
  AND o.status <> 'FAILED'
  AND CASE WHEN x.id IS NOT NULL THEN o.held_units = 0 OR o.status IN ('PENDING_PAYMENT', 'PAID')
    ELSE o.held_units > 0 AND o.status IN ('CANCELLED', 'REFUND_PENDING', 'REFUNDED')
      AND NOT EXISTS (SELECT 1 FROM order_lines l
        JOIN items i ON i.item_id = l.item_id AND i.state = 'ARCHIVED'
        WHERE l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch AND l.seq = o.seq)
    END
LIMIT 20

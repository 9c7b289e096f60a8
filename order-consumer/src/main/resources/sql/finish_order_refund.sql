-- All of the order's money has gone back.
UPDATE orders o SET o.status = 'REFUNDED',
  o.changed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE o.region = ? AND o.shard = ? AND o.epoch = ? AND o.seq = ? AND o.status = 'REFUND_PENDING'
  AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.region = o.region AND r.shard = o.shard
    AND r.epoch = o.epoch AND r.seq = o.seq AND r.state <> 'DONE')

-- Unpaid orders whose time is over, longest over first. Those that somebody changes at this moment
-- are left to him, or to the next look.
SELECT region, shard, epoch, seq, user_id, promoted
FROM orders
WHERE status = 'PENDING_PAYMENT' AND pay_by_ms <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
ORDER BY pay_by_ms
LIMIT ?
FOR UPDATE SKIP LOCKED

-- Newest first, after the order that ended the page before.
SELECT region, shard, epoch, seq, status, reason, total_minor, currency, won_at_ms, pay_by_ms,
  promoted
FROM orders
WHERE user_id = ?
  AND (won_at_ms < ? OR (won_at_ms = ? AND (region, shard, epoch, seq) < (?, ?, ?, ?)))
ORDER BY won_at_ms DESC, region DESC, shard DESC, epoch DESC, seq DESC
LIMIT ?

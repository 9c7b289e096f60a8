-- Shards that forgot an item within the last day, so that each is looked at for a while and not for
-- ever, and whose waiters of it are still here. What is left by then is in nobody's way.
SELECT r.item_id, r.shard
FROM removed_items r
WHERE r.region = ? AND r.removed_at_ms > TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 - 86400000
  AND EXISTS (SELECT 1 FROM waitlist w
    WHERE w.region = r.region AND w.shard = r.shard AND w.item_id = r.item_id)
LIMIT 10

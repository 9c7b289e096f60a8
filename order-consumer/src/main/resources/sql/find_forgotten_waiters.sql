-- Shards that have forgotten an item and whose waiters of it are still here.
SELECT r.item_id, r.shard
FROM removed_items r
WHERE r.region = ? AND EXISTS (SELECT 1 FROM waitlist w
  WHERE w.region = r.region AND w.shard = r.shard AND w.item_id = r.item_id)
LIMIT 10

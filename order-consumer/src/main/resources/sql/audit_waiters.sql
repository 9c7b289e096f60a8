-- Users who wait for an item in a shard, a page by name.
SELECT w.user_id
FROM waitlist w FORCE INDEX (PRIMARY)
WHERE w.region = ? AND w.shard = ? AND w.item_id = ? AND w.user_id > ?
  AND NOT EXISTS (SELECT 1 FROM removed_items r
    WHERE r.region = w.region AND r.item_id = w.item_id AND r.shard = w.shard)
ORDER BY w.user_id
LIMIT ?

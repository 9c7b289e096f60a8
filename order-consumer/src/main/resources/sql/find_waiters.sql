-- Who waits in a shard, behind an entry, in the order of joining; not for what the shard has
-- forgotten.
SELECT w.item_id, w.user_id, w.epoch, w.seq, w.at_ms
FROM waitlist w FORCE INDEX (waitlist_in_order)
WHERE w.region = ? AND w.shard = ? AND (w.epoch > ? OR (w.epoch = ? AND w.seq > ?))
  AND NOT EXISTS (SELECT 1 FROM removed_items r
    WHERE r.region = w.region AND r.item_id = w.item_id AND r.shard = w.shard)
ORDER BY w.epoch, w.seq
LIMIT ?

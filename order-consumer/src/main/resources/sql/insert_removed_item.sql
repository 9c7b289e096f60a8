-- Again when a shard that was written anew forgets the item again.
INSERT INTO removed_items (region, item_id, shard, removed_at_ms) VALUES (?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)
ON DUPLICATE KEY UPDATE removed_at_ms = VALUES(removed_at_ms)

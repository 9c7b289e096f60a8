-- Every shard has forgotten them.
UPDATE items
SET archived = 1, updated_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE state = 'ARCHIVED' AND archived = 0
  AND (SELECT COUNT(*) FROM removed_items r WHERE r.region = ? AND r.item_id = items.item_id)
    >= (SELECT g.shard_count FROM regions g WHERE g.region = ?)
ORDER BY item_id
LIMIT 100

-- All that some shard may have: archived becomes 1 when every shard has forgotten an item.
SELECT i.item_id
FROM items i
WHERE i.archived = 0 AND i.item_id > ?
ORDER BY i.item_id
LIMIT ?

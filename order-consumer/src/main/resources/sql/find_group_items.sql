-- Items of a group, without those that the shard has forgotten.
SELECT i.item_id
FROM items i
LEFT JOIN removed_items r ON r.region = ? AND r.item_id = i.item_id AND r.shard = ?
WHERE i.group_id = ? AND r.item_id IS NULL
ORDER BY i.item_id

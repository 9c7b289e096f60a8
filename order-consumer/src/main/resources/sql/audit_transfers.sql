-- Transfers whose move lets in other units than were sent, and moves between shards that nobody
-- sent; of one item, or of all for item 0. Both rows are written by one transaction.
SELECT t.item_id, t.to_shard, t.move_number, t.units, COALESCE(m.units, 0)
FROM transfers t
LEFT JOIN moves m ON m.item_id = t.item_id AND m.region = t.region AND m.shard = t.to_shard
  AND m.number = t.move_number AND m.kind = 'TRANSFER'
WHERE t.region = ? AND (? = 0 OR t.item_id = ?) AND COALESCE(m.units, 0) <> t.units
UNION ALL
SELECT m.item_id, m.shard, m.number, 0, m.units
FROM moves m
LEFT JOIN transfers t ON t.item_id = m.item_id AND t.region = m.region AND t.to_shard = m.shard
  AND t.move_number = m.number
WHERE m.region = ? AND (? = 0 OR m.item_id = ?) AND m.kind = 'TRANSFER' AND t.units IS NULL
LIMIT 20

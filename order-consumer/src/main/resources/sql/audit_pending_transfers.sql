-- Moves by which units are to come from other shards, not stored as arrived, with their age.
SELECT m.item_id, m.number, m.units, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 - m.created_at_ms
FROM moves m
WHERE m.state = 'PENDING' AND m.region = ? AND m.shard = ? AND m.kind = 'TRANSFER'

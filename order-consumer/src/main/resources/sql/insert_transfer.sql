INSERT INTO transfers (
  region, from_shard, epoch, seq, item_id, units, to_shard, move_number, at_ms, created_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

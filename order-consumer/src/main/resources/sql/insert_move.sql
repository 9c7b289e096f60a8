INSERT INTO moves (
  item_id, region, shard, number, kind, units, request_id, state, created_at_ms, applied_epoch,
  applied_seq)
VALUES (?, ?, ?, ?, ?, ?, ?, 'PENDING', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 0, 0)

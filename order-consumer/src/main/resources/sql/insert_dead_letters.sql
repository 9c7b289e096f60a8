-- The numbers may be above the signed range: an entry made by hand may have any stream id.
INSERT INTO dead_letters (
  region, shard, epoch, seq, reason, detail, payload, user_id, state, created_at_ms, closed_at_ms)
VALUES (?, ?, CAST(? AS UNSIGNED), CAST(? AS UNSIGNED), ?, ?, ?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 0)

INSERT INTO shards (region, shard, epoch, closed_to, state, node, updated_at_ms)
VALUES (?, ?, ?, 0, 'REPAIRING', ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

INSERT INTO closed_epochs (region, shard, epoch, last_seq, lowered_by, closed_at_ms) VALUES (?, ?, ?, ?, 0, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

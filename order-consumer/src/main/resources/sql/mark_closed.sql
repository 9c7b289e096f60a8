UPDATE shards SET closed_to = ?, updated_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 WHERE region = ? AND shard = ?

SELECT region, shard FROM shards ORDER BY region, shard

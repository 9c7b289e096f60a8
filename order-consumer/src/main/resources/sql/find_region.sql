SELECT shard_count FROM regions WHERE region = ?

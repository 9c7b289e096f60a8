SELECT epoch, state FROM shards WHERE region = ? AND shard = ?

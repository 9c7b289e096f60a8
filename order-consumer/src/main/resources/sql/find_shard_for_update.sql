SELECT epoch, state, closed_to FROM shards WHERE region = ? AND shard = ? FOR UPDATE

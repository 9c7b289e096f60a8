SELECT epoch, seq, state, payload, reason FROM dead_letters
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND state <> 'FOREIGN'

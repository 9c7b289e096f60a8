-- First in every transaction that stores entries: closing an epoch waits for it.
SELECT epoch, closed_to FROM shards WHERE region = ? AND shard = ? LOCK IN SHARE MODE

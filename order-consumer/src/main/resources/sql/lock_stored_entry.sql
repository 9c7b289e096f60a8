-- Waits for whoever is inserting it.
SELECT seq FROM shard_log WHERE region = ? AND shard = ? AND epoch = ? AND seq = ?
LOCK IN SHARE MODE

SELECT
  (SELECT COUNT(*) FROM orders WHERE region = ? AND shard = ?)
  + (SELECT COUNT(*) FROM shard_log WHERE region = ? AND shard = ?)
  + (SELECT COUNT(*) FROM dead_letters WHERE region = ? AND shard = ?) AS entries

-- Foreign letters are not ours.
SELECT EXISTS (SELECT 1 FROM orders WHERE region = ? AND shard = ?)
  OR EXISTS (SELECT 1 FROM shard_log WHERE region = ? AND shard = ?)
  OR EXISTS (SELECT 1 FROM transfers WHERE region = ? AND from_shard = ?)
  OR EXISTS (SELECT 1 FROM dead_letters WHERE region = ? AND shard = ?
    AND epoch BETWEEN 1 AND 4294967295 AND seq BETWEEN 1 AND 281474976710655
    AND state <> 'FOREIGN') AS found_any

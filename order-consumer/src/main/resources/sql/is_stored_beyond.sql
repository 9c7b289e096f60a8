-- Whether an entry that really happened is stored beyond a place, compared as (epoch, seq): not what
-- was refused because its epoch was closed before, and no foreign letter.
SELECT EXISTS (SELECT 1 FROM orders WHERE region = ? AND shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?)) AND status <> 'FAILED')
  OR EXISTS (SELECT 1 FROM shard_log WHERE region = ? AND shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?)) AND effective = 1)
  OR EXISTS (SELECT 1 FROM transfers WHERE region = ? AND from_shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?)))
  OR EXISTS (SELECT 1 FROM dead_letters WHERE region = ? AND shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?))
    AND epoch BETWEEN 1 AND 4294967295 AND seq BETWEEN 1 AND 281474976710655
    AND state NOT IN ('FOREIGN', 'LOST')) AS found_any

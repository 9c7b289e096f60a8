-- Entries stored beyond a place, compared as (epoch, seq), that really happened: not what was
-- refused because its epoch was closed before.
SELECT
  (SELECT COUNT(*) FROM orders WHERE region = ? AND shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?)) AND reason <> 'LOST')
  + (SELECT COUNT(*) FROM shard_log WHERE region = ? AND shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?)) AND effective = 1)
  + (SELECT COUNT(*) FROM dead_letters WHERE region = ? AND shard = ?
    AND (epoch > ? OR (epoch = ? AND seq > ?)) AND epoch < 4294967296) AS entries

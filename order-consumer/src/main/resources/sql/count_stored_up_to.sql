-- Numbers 1 to ?4 of an epoch that are stored.
SELECT
  (SELECT COUNT(*) FROM orders
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?)
  + (SELECT COUNT(*) FROM shard_log
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?)
  + (SELECT COUNT(*) FROM dead_letters
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?
      AND seq >= 1 AND state IN ('OPEN', 'CLOSED', 'LOST')) AS entries

-- The highest stored number of an epoch up to a number, 0 for none.
SELECT GREATEST(
  COALESCE((SELECT MAX(seq) FROM orders
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?), 0),
  COALESCE((SELECT MAX(seq) FROM shard_log
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?), 0),
  COALESCE((SELECT CAST(MAX(seq) AS SIGNED) FROM dead_letters
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?
      AND seq >= 1 AND state <> 'FOREIGN'), 0)) AS seq

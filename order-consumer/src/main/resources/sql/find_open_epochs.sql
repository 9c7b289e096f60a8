-- Epochs above ?3 and before ?4 with stored entries, with their highest number: not closed yet.
SELECT s.epoch, MAX(s.seq)
FROM (
  SELECT epoch, MAX(seq) AS seq FROM orders
  WHERE region = ? AND shard = ? AND epoch > ? AND epoch < ? GROUP BY epoch
  UNION ALL
  SELECT epoch, MAX(seq) FROM shard_log
  WHERE region = ? AND shard = ? AND epoch > ? AND epoch < ? GROUP BY epoch
  UNION ALL
  SELECT CAST(epoch AS SIGNED), CAST(MAX(seq) AS SIGNED) FROM dead_letters
  WHERE region = ? AND shard = ? AND epoch > ? AND epoch < ?
    AND seq BETWEEN 1 AND 281474976710655 AND state <> 'FOREIGN' GROUP BY epoch) s
GROUP BY s.epoch
ORDER BY s.epoch

-- Epochs before epoch ?3 with stored entries that nobody has closed, with their highest number.
SELECT s.epoch, MAX(s.seq)
FROM (
  SELECT epoch, MAX(seq) AS seq FROM orders
  WHERE region = ? AND shard = ? AND epoch < ? GROUP BY epoch
  UNION ALL
  SELECT epoch, MAX(seq) FROM shard_log
  WHERE region = ? AND shard = ? AND epoch < ? GROUP BY epoch
  UNION ALL
  SELECT CAST(epoch AS SIGNED), CAST(MAX(seq) AS SIGNED) FROM dead_letters
  WHERE region = ? AND shard = ? AND epoch < ? GROUP BY epoch) s
LEFT JOIN closed_epochs c ON c.region = ? AND c.shard = ? AND c.epoch = s.epoch
WHERE c.epoch IS NULL
GROUP BY s.epoch
ORDER BY s.epoch

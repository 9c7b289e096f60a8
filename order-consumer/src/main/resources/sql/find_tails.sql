-- Closed epochs up to ?3 that are not wholly stored: their last number and the highest stored one,
-- which says how many are stored, because entries are stored in their order.
SELECT t.epoch, t.last_seq, t.highest
FROM (
  SELECT c.epoch, c.last_seq, GREATEST(
    COALESCE((SELECT MAX(s.seq) FROM orders s WHERE s.region = c.region AND s.shard = c.shard
      AND s.epoch = c.epoch AND s.seq <= c.last_seq), 0),
    COALESCE((SELECT MAX(s.seq) FROM shard_log s WHERE s.region = c.region AND s.shard = c.shard
      AND s.epoch = c.epoch AND s.seq <= c.last_seq), 0),
    COALESCE((SELECT CAST(MAX(s.seq) AS SIGNED) FROM dead_letters s WHERE s.region = c.region
      AND s.shard = c.shard AND s.epoch = c.epoch AND s.seq BETWEEN 1 AND c.last_seq
      AND s.state <> 'FOREIGN'), 0)) AS highest
  FROM closed_epochs c
  WHERE c.region = ? AND c.shard = ? AND c.epoch <= ? AND c.last_seq > 0) t
WHERE t.highest < t.last_seq
ORDER BY t.epoch

-- Every epoch that is over, its last number, and how many numbers up to it are stored.
SELECT c.epoch, c.last_seq,
  (SELECT COUNT(*) FROM orders t WHERE t.region = c.region AND t.shard = c.shard
    AND t.epoch = c.epoch AND t.seq <= c.last_seq)
  + (SELECT COUNT(*) FROM shard_log t WHERE t.region = c.region AND t.shard = c.shard
    AND t.epoch = c.epoch AND t.seq <= c.last_seq)
  + (SELECT COUNT(*) FROM dead_letters t WHERE t.region = c.region AND t.shard = c.shard
    AND t.epoch = c.epoch AND t.seq BETWEEN 1 AND c.last_seq
    AND t.state IN ('OPEN', 'CLOSED', 'LOST')) AS entries
FROM closed_epochs c
WHERE c.region = ? AND c.shard = ? AND c.epoch < ? AND c.last_seq > 0

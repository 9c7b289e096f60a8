-- The last number of an epoch that is over; NULL for one that is not.
SELECT COALESCE(c.last_seq, CASE WHEN ? <= s.closed_to THEN 0 END) AS last_seq
FROM shards s
LEFT JOIN closed_epochs c ON c.region = s.region AND c.shard = s.shard AND c.epoch = ?
WHERE s.region = ? AND s.shard = ?

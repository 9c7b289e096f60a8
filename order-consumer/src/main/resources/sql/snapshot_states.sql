-- Versions of items that a shard took over by numbers of an epoch, the latest last.
SELECT item_id, CAST(payload AS CHAR) FROM shard_log
WHERE region = ? AND shard = ? AND epoch = ? AND seq > ? AND seq <= ?
  AND kind = 'state' AND effective = 1
ORDER BY seq

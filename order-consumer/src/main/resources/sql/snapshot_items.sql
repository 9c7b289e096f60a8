-- Every item that a shard took over, with the latest version that it took.
SELECT l.item_id, CAST(l.payload AS CHAR), i.name, i.price_minor, i.currency, i.picture, i.limit_per_user,
  i.starts_at_ms, i.ends_at_ms, i.pay_within_ms
FROM (
  SELECT item_id, MAX(CAST(epoch AS DECIMAL(30)) * 281474976710656 + seq) AS place
  FROM shard_log
  WHERE region = ? AND shard = ? AND kind = 'state' AND effective = 1
  GROUP BY item_id) newest
JOIN shard_log l ON l.item_id = newest.item_id
  AND CAST(l.epoch AS DECIMAL(30)) * 281474976710656 + l.seq = newest.place
JOIN items i ON i.item_id = l.item_id
WHERE l.region = ? AND l.shard = ? AND l.kind = 'state' AND i.archived = 0

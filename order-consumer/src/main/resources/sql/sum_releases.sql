-- Per item, of numbers of an epoch: how often units came back to stock, units that came back to
-- stock, and units that went off the grant.
SELECT j.item_id,
  SUM(CASE WHEN j.to_stock = 1 THEN 1 ELSE 0 END),
  SUM(CASE WHEN j.to_stock = 1 THEN j.units ELSE 0 END),
  SUM(CASE WHEN j.to_stock = 1 THEN 0 ELSE j.units END)
FROM shard_log l
JOIN JSON_TABLE(l.payload, '$.lines[*]' COLUMNS (
  item_id BIGINT PATH '$[0]',
  units BIGINT PATH '$[1]',
  to_stock INT PATH '$[2]')) j
WHERE l.region = ? AND l.shard = ? AND l.epoch = ? AND l.seq > ? AND l.seq <= ?
  AND l.kind = 'rel' AND l.effective = 1
GROUP BY j.item_id

SELECT j.item_id,
  SUM(CASE WHEN j.to_stock = 1 THEN j.units ELSE 0 END),
  SUM(CASE WHEN j.to_stock = 1 THEN 0 ELSE j.units END)
FROM shard_log o
JOIN JSON_TABLE(o.payload, '$.lines[*]' COLUMNS (
  item_id BIGINT PATH '$[0]',
  units BIGINT PATH '$[1]',
  to_stock INT PATH '$[2]')) j
WHERE o.region = ? AND o.shard = ? AND (o.epoch < ? OR (o.epoch = ? AND o.seq <= ?)) AND o.kind = 'rel' AND o.effective = 1
GROUP BY j.item_id

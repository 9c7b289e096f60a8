-- Items whose counter of units out differs from what left shards and what releases took off the
-- grant; of one item, or of all for item 0.
SELECT i.item_id, i.units_out, COALESCE(s.units, 0)
FROM items i
LEFT JOIN (
  SELECT u.item_id, SUM(u.units) AS units
  FROM (
    SELECT item_id, units FROM shard_log WHERE kind = 'out' AND effective = 1
    UNION ALL
    SELECT j.item_id, j.units
    FROM shard_log o
    JOIN JSON_TABLE(o.payload, '$.lines[*]' COLUMNS (
      item_id BIGINT PATH '$[0]',
      units BIGINT PATH '$[1]',
      to_stock INT PATH '$[2]')) j
    WHERE o.kind = 'rel' AND o.effective = 1 AND j.to_stock = 0) u
  GROUP BY u.item_id) s ON s.item_id = i.item_id
WHERE i.units_out <> COALESCE(s.units, 0) AND (? = 0 OR i.item_id = ?)
LIMIT 20

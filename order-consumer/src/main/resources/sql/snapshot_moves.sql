-- Units that came in and went out, and how often they came.
SELECT item_id, MAX(move_number), SUM(CASE WHEN kind = 'in' THEN 1 ELSE 0 END),
  SUM(CASE WHEN kind = 'in' THEN units ELSE -units END)
FROM shard_log
WHERE region = ? AND shard = ? AND kind IN ('in', 'out') AND effective = 1
GROUP BY item_id

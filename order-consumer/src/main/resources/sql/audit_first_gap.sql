-- The first number whose place in the order is not its own: the number before it is missing.
SELECT n FROM (
  SELECT seq, ROW_NUMBER() OVER (ORDER BY seq) AS n FROM (
    SELECT seq FROM orders WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?
    UNION ALL
    SELECT seq FROM shard_log WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?
    UNION ALL
    SELECT CAST(seq AS SIGNED) FROM dead_letters
    WHERE region = ? AND shard = ? AND epoch = ? AND seq <= ?
      AND seq >= 1 AND state IN ('OPEN', 'CLOSED', 'LOST')) s) numbered
WHERE seq <> n
ORDER BY seq
LIMIT 1

-- Which numbers of a range are stored, in whatever form.
SELECT seq FROM orders WHERE region = ? AND shard = ? AND epoch = ? AND seq BETWEEN ? AND ?
UNION ALL
SELECT seq FROM shard_log WHERE region = ? AND shard = ? AND epoch = ? AND seq BETWEEN ? AND ?
UNION ALL
SELECT CAST(seq AS SIGNED) FROM dead_letters
WHERE region = ? AND shard = ? AND epoch = ? AND seq BETWEEN ? AND ?
  AND state <> 'FOREIGN'

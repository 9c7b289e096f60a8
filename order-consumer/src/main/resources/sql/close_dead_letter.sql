UPDATE dead_letters SET state = 'RELEASED', closed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE region = ? AND shard = ? AND epoch = CAST(? AS UNSIGNED) AND seq = CAST(? AS UNSIGNED)
  AND state = 'OPEN'

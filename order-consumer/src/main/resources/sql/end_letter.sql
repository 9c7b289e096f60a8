-- A letter ends once.
UPDATE dead_letters SET state = ?, payload = ?, user_id = ?,
  closed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND state = 'OPEN'

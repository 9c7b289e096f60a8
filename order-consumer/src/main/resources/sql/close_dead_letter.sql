-- The payload as it was, or the win that the release tells when the letter did not know it.
UPDATE dead_letters SET state = 'RELEASED', payload = ?, user_id = ?,
  closed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE region = ? AND shard = ? AND epoch = ? AND seq = ? AND state IN ('OPEN', 'SETTLING')

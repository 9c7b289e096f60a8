UPDATE payments
SET state = ?, provider_ref = ?, told_minor = ?, told_currency = ?,
  done_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE payment_id = ? AND state = ?

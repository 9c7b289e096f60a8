INSERT INTO audit_log (
  request_id, actor, action, item_id, detail, digest, asked, done, reserved, at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

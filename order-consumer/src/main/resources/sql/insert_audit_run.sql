INSERT INTO audit_runs (region, item_id, clean, ended_at_ms, took_ms, findings)
VALUES (?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, ?, ?)

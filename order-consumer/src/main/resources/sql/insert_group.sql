INSERT INTO item_groups (group_id, limit_per_user, created_at_ms) VALUES (?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

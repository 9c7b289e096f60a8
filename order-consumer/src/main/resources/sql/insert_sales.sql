INSERT INTO sales_switch (stopped, changed_by, region, generation, changed_at_ms)
VALUES (?, ?, ?, 1, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

UPDATE sales_switch
SET stopped = ?, changed_by = ?, generation = generation + 1, changed_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE region = ?

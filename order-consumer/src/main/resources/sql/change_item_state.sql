UPDATE items
SET state = ?, generation = ?, units_in = units_in + ?, restocks = restocks + ?, updated_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE item_id = ? AND state = ? AND generation = ?

UPDATE items
SET state = ?, generation = ?, limit_per_user = ?, starts_at_ms = ?, ends_at_ms = ?, stock = ?,
  cap = ?, units_in = units_in + ?, reserve = reserve + ?, restocks = restocks + ?,
  updated_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE item_id = ? AND state = ? AND generation = ? AND reserve + ? >= 0

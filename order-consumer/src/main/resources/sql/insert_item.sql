INSERT INTO items (
  item_id, name, price_minor, currency, picture, limit_per_user, starts_at_ms, ends_at_ms,
  pay_within_ms, group_id, group_limit, stock, state, generation, restocks, units_in, units_out,
  held_units, archived, created_at_ms, updated_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'CREATED', 0, 0, 0, 0, 0, 0, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)

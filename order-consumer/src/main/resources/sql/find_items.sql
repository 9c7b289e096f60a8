SELECT item_id, name, price_minor, currency, picture, limit_per_user, starts_at_ms, ends_at_ms,
  pay_within_ms, stock, state, generation, restocks, units_in, units_out
FROM items
WHERE archived = 0
ORDER BY created_at_ms DESC, item_id DESC
LIMIT 1000

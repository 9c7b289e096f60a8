SELECT i.item_id, i.name, i.price_minor, i.currency, i.picture, i.limit_per_user, i.starts_at_ms,
  i.ends_at_ms, i.pay_within_ms, i.group_id, i.group_limit, i.stock, i.state, i.generation, i.restocks, i.units_in, i.units_out,
  i.reserve, i.cap
FROM items i
WHERE i.item_id = ?

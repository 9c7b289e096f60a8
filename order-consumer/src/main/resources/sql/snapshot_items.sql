SELECT i.item_id, i.name, i.price_minor, i.currency, i.picture, i.limit_per_user, i.starts_at_ms,
  i.ends_at_ms, i.pay_within_ms, i.group_id, i.group_limit, i.archived, i.generation
FROM JSON_TABLE(?, '$[*]' COLUMNS (item_id BIGINT PATH '$')) j
STRAIGHT_JOIN items i ON i.item_id = j.item_id

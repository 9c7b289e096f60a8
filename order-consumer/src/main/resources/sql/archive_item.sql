-- What Redis never heard of is forgotten at once.
UPDATE items
SET archived = CASE WHEN state = 'CREATED' THEN 1 ELSE 0 END, state = 'ARCHIVED',
  generation = generation + 1, updated_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE item_id = ? AND state <> 'ARCHIVED'

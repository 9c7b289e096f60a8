-- Users who would hold more than the limit of their last win, or less than nothing.
SELECT h.item_id, h.user_id, h.units
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  item_id BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]',
  limit_units INT PATH '$[3]')) j
JOIN holdings h ON h.item_id = j.item_id AND h.user_id = j.user_id
WHERE h.units < 0 OR h.units > j.limit_units
LIMIT 1

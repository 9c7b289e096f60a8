INSERT INTO holdings (item_id, user_id, units)
SELECT j.item_id, j.user_id, j.units
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  item_id BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]',
  units INT PATH '$[2]')) j
ON DUPLICATE KEY UPDATE units = holdings.units + VALUES(units)

-- A page of an item's holdings.
SELECT user_id, units FROM holdings
WHERE item_id = ? AND user_id > ?
ORDER BY user_id
LIMIT ?

-- Units of an item that moves out are to take, and whose log entries are not stored yet.
SELECT COALESCE(SUM(CASE WHEN kind = 'WITHDRAW' THEN units ELSE 0 END), 0), COUNT(*)
FROM moves
WHERE state = 'PENDING' AND item_id = ? AND kind IN ('WITHDRAW', 'HOLD_BACK')

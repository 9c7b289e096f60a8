-- What the moves out of a request have done so far, and how many of them are not settled.
SELECT COALESCE(SUM(units_done), 0), COALESCE(SUM(CASE WHEN state = 'PENDING' THEN 1 ELSE 0 END), 0)
FROM moves
WHERE request_id = ? AND kind IN ('WITHDRAW', 'HOLD_BACK')

SELECT kind FROM moves
WHERE item_id = ? AND region = ? AND shard = ? AND number = ? AND state = 'PENDING'
  AND kind IN ('WITHDRAW', 'HOLD_BACK')

-- Of a move in, all units came or none.
UPDATE moves SET state = 'APPLIED', units_done = units, applied_epoch = ?, applied_seq = ?
WHERE item_id = ? AND region = ? AND shard = ? AND number = ? AND units = ? AND state = 'PENDING'
  AND kind NOT IN ('WITHDRAW', 'HOLD_BACK')

-- Of a move out, as many units went as the shard could spare.
UPDATE moves SET state = 'APPLIED', units_done = ?, applied_epoch = ?, applied_seq = ?
WHERE item_id = ? AND region = ? AND shard = ? AND number = ? AND units >= ? AND state = 'PENDING'
  AND kind IN ('WITHDRAW', 'HOLD_BACK')

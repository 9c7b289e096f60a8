UPDATE moves SET state = 'APPLIED', applied_epoch = ?, applied_seq = ?
WHERE item_id = ? AND region = ? AND shard = ? AND number = ? AND units = ? AND state = 'PENDING'

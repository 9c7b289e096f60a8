UPDATE closed_epochs SET last_seq = ?, lowered_by = ? WHERE region = ? AND shard = ? AND epoch = ?

SELECT seq, item_id, units, to_shard, move_number FROM transfers
WHERE region = ? AND from_shard = ? AND epoch = ? AND seq BETWEEN ? AND ?

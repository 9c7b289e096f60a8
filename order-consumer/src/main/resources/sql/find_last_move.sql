SELECT COALESCE(MAX(number), 0) FROM moves WHERE item_id = ? AND region = ? AND shard = ?

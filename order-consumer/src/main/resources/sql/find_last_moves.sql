SELECT shard, MAX(number) FROM moves WHERE item_id = ? AND region = ? GROUP BY shard

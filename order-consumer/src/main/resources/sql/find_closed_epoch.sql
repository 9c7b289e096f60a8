SELECT last_seq FROM closed_epochs WHERE region = ? AND shard = ? AND epoch = ?

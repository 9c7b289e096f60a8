SELECT state FROM dead_letters
WHERE region = ? AND shard = ? AND epoch = CAST(? AS UNSIGNED) AND seq = CAST(? AS UNSIGNED)

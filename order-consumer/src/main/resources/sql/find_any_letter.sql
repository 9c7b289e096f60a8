SELECT region, shard, CAST(epoch AS CHAR), CAST(seq AS CHAR), state, reason, detail, payload, user_id,
  created_at_ms, closed_at_ms
FROM dead_letters
WHERE region = ? AND shard = ? AND epoch = CAST(? AS UNSIGNED) AND seq = CAST(? AS UNSIGNED)

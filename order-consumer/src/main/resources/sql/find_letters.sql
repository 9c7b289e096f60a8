-- A page of letters by name, of one state or, for '', of all.
SELECT region, shard, CAST(epoch AS CHAR), CAST(seq AS CHAR), state, reason, detail, payload, user_id,
  created_at_ms, closed_at_ms
FROM dead_letters
WHERE (? = '' OR state = ?)
  AND (region, shard, epoch, seq) > (?, ?, CAST(? AS UNSIGNED), CAST(? AS UNSIGNED))
ORDER BY region, shard, epoch, seq
LIMIT ?

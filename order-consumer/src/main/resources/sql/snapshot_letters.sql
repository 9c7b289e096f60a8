-- Letters of entries that are ours; the payload says what a win won.
SELECT epoch, seq, state, payload, reason FROM dead_letters
WHERE region = ? AND shard = ? AND epoch BETWEEN 1 AND 4294967295
  AND seq BETWEEN 1 AND 281474976710655 AND state <> 'FOREIGN'

-- Wins that became dead letters; the payload says what they won.
SELECT epoch, seq, state, payload, reason FROM dead_letters
WHERE region = ? AND shard = ? AND epoch < 4294967296 AND seq < 281474976710656

-- Letters of numbers that a batch is storing although it had not seen them: whoever opened or
-- settled them has committed, or is waited for.
SELECT CAST(seq AS SIGNED), state, payload, user_id FROM dead_letters
WHERE region = ? AND shard = ? AND epoch = ? AND seq BETWEEN ? AND ? AND state <> 'FOREIGN'
FOR UPDATE

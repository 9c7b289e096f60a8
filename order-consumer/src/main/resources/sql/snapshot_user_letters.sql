-- Letters of wins that are held, by user, from after one user to another.
SELECT epoch, seq, state, payload, reason FROM dead_letters
WHERE region = ? AND shard = ? AND user_id > ? AND (user_id <= ? OR ? = '') AND state IN ('OPEN', 'SETTLING')
ORDER BY user_id, epoch, seq

-- The closed epoch with entries before epoch ?3, and that epoch itself when it is closed.
SELECT epoch, last_seq
FROM closed_epochs
WHERE region = ? AND shard = ? AND epoch <= ? AND (last_seq > 0 OR epoch = ?)
ORDER BY epoch DESC
LIMIT 2

-- Their orders of the item, oldest first.
SELECT o.user_id, o.key_digest, o.body_digest, o.epoch, o.seq, l.quantity, o.held_units
FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id VARCHAR(64) PATH '$')) j
JOIN orders o ON o.user_id = j.user_id
JOIN order_lines l ON l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch
  AND l.seq = o.seq
WHERE o.region = ? AND o.shard = ? AND l.item_id = ? AND o.reason <> 'LOST'
ORDER BY o.user_id, o.epoch, o.seq

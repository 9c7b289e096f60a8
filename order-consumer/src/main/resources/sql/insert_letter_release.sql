-- The units of a settled letter's win are to go back. Not of one with an item that is archived: Redis
-- has forgotten it, and a basket goes back as a whole.
INSERT INTO outbox (region, shard, epoch, seq, reason, state, created_at_ms, done_at_ms)
SELECT o.region, o.shard, o.epoch, o.seq, o.reason, 'PENDING', o.changed_at_ms, 0
FROM orders o
WHERE o.region = ? AND o.shard = ? AND o.epoch = ? AND o.seq = ?
  AND NOT EXISTS (SELECT 1 FROM order_lines l
    JOIN items i ON i.item_id = l.item_id AND i.state = 'ARCHIVED'
    WHERE l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch AND l.seq = o.seq)

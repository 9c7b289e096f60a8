-- The units of these orders are to go back. Not those of an item that is archived: Redis forgets
-- it, nobody can buy it, and so they have nowhere to go.
INSERT INTO outbox (region, shard, epoch, seq, reason, state, created_at_ms, done_at_ms)
SELECT o.region, o.shard, o.epoch, o.seq, ?, 'PENDING', c.now_ms, 0
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  region INT PATH '$[0]',
  shard INT PATH '$[1]',
  epoch BIGINT PATH '$[2]',
  seq BIGINT PATH '$[3]')) j
STRAIGHT_JOIN orders o ON o.region = j.region AND o.shard = j.shard AND o.epoch = j.epoch
  AND o.seq = j.seq
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c
WHERE o.held_units > 0
  AND NOT EXISTS (SELECT 1 FROM order_lines l
    JOIN items i ON i.item_id = l.item_id AND i.state = 'ARCHIVED'
    WHERE l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch AND l.seq = o.seq)

-- Of these orders, those of which nothing can go back: an item of theirs is archived, or they hold
-- nothing.
SELECT COUNT(*)
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  region INT PATH '$[0]',
  shard INT PATH '$[1]',
  epoch BIGINT PATH '$[2]',
  seq BIGINT PATH '$[3]')) j
STRAIGHT_JOIN orders o ON o.region = j.region AND o.shard = j.shard AND o.epoch = j.epoch
  AND o.seq = j.seq
WHERE o.held_units = 0
  OR EXISTS (SELECT 1 FROM order_lines l
    JOIN items i ON i.item_id = l.item_id AND i.state = 'ARCHIVED'
    WHERE l.region = o.region AND l.shard = o.shard AND l.epoch = o.epoch AND l.seq = o.seq)

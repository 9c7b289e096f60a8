-- A page of the releases that a shard's Redis has not done, or whose entries are not stored yet.
SELECT x.id, x.epoch, x.seq, x.reason, o.user_id, l.item_id
FROM (SELECT id, region, shard, epoch, seq, reason FROM outbox
  WHERE state = 'PENDING' AND region = ? AND shard = ? AND id > ?
  ORDER BY id LIMIT ?) x
STRAIGHT_JOIN orders o ON o.region = x.region AND o.shard = x.shard AND o.epoch = x.epoch
  AND o.seq = x.seq
STRAIGHT_JOIN order_lines l ON l.region = x.region AND l.shard = x.shard AND l.epoch = x.epoch
  AND l.seq = x.seq
ORDER BY x.id, l.item_id

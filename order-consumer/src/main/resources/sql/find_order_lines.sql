-- Lines of several orders.
SELECT l.region, l.shard, l.epoch, l.seq, l.item_id, l.quantity, l.price_minor
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  region INT PATH '$[0]',
  shard INT PATH '$[1]',
  epoch BIGINT PATH '$[2]',
  seq BIGINT PATH '$[3]')) j
JOIN order_lines l ON l.region = j.region AND l.shard = j.shard AND l.epoch = j.epoch
  AND l.seq = j.seq
ORDER BY l.region, l.shard, l.epoch, l.seq, l.item_id

INSERT INTO order_lines (
  region, shard, epoch, seq, item_id, quantity, price_minor, limit_per_user)
SELECT ?, ?, ?, j.seq, j.item_id, j.quantity, j.price_minor, j.limit_per_user
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  seq BIGINT PATH '$[0]',
  item_id BIGINT PATH '$[1]',
  quantity INT PATH '$[2]',
  price_minor BIGINT PATH '$[3]',
  limit_per_user INT PATH '$[4]')) j

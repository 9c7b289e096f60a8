INSERT INTO order_lines (
  region, shard, epoch, seq, item_id, user_id, quantity, price_minor, limit_per_user)
SELECT ?, ?, ?, j.seq, j.item_id, j.user_id, j.quantity, j.price_minor, j.limit_per_user
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  seq BIGINT PATH '$[0]',
  item_id BIGINT PATH '$[1]',
  user_id VARCHAR(64) PATH '$[2]',
  quantity INT PATH '$[3]',
  price_minor BIGINT PATH '$[4]',
  limit_per_user INT PATH '$[5]')) j

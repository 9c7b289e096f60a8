-- The one line of each of the orders that insert_alike_orders.sql writes, from the same rows.
INSERT INTO order_lines (
  region, shard, epoch, seq, item_id, user_id, quantity, price_minor, limit_per_user)
SELECT ?, ?, ?, j.seq, ?, j.user_id, ?, ?, ?
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  seq BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]')) j

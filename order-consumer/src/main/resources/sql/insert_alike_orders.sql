-- Orders that differ in name, user, keys and time only, as most of a flash sale do. JSON_TABLE looks
-- for each column from the beginning of its row, so what all have in common is a parameter.
INSERT INTO orders (
  region, shard, epoch, seq, user_id, key_digest, body_digest, status, reason, held_units,
  quantity, total_minor, currency, won_at_ms, promoted, created_at_ms, changed_at_ms, pay_by_ms)
SELECT ?, ?, ?, j.seq, j.user_id, j.key_digest, j.body_digest, ?, ?, ?,
  ?, ?, ?, j.won_at_ms, ?, c.now_ms, c.now_ms, c.now_ms + ?
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  seq BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]',
  key_digest VARCHAR(16) PATH '$[2]',
  body_digest VARCHAR(16) PATH '$[3]',
  won_at_ms BIGINT PATH '$[4]')) j
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c

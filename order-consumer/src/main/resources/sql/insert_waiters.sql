-- Whose leaving was never understood waits by his later entry.
INSERT INTO waitlist (region, shard, epoch, item_id, user_id, seq, at_ms)
SELECT ?, ?, ?, j.item_id, j.user_id, j.seq, j.at_ms
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  item_id BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]',
  seq BIGINT PATH '$[2]',
  at_ms BIGINT PATH '$[3]')) j
ON DUPLICATE KEY UPDATE epoch = VALUES(epoch), seq = VALUES(seq), at_ms = VALUES(at_ms)

-- Who joined again after the entry by which he left stays.
DELETE w
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  item_id BIGINT PATH '$[0]',
  user_id VARCHAR(64) PATH '$[1]',
  seq BIGINT PATH '$[2]')) j
STRAIGHT_JOIN waitlist w FORCE INDEX (PRIMARY)
  ON w.region = ? AND w.shard = ? AND w.item_id = j.item_id AND w.user_id = j.user_id
WHERE w.epoch < ? OR (w.epoch = ? AND w.seq < j.seq)

-- Who of some users waits for an item in a shard, by which entry; user by user by key.
SELECT w.user_id, w.epoch, w.seq
FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id VARCHAR(64) PATH '$')) u
STRAIGHT_JOIN waitlist w FORCE INDEX (PRIMARY)
  ON w.region = ? AND w.shard = ? AND w.item_id = ? AND w.user_id = u.user_id
WHERE NOT EXISTS (SELECT 1 FROM removed_items r
  WHERE r.region = w.region AND r.item_id = w.item_id AND r.shard = w.shard)

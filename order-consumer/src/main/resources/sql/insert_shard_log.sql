INSERT INTO shard_log (
  region, shard, epoch, seq, kind, effective, item_id, units, move_number, user_id, win_epoch,
  win_seq, at_ms, payload, created_at_ms)
SELECT ?, ?, ?, j.seq, j.kind, j.effective, j.item_id, j.units, j.move_number, j.user_id,
  j.win_epoch, j.win_seq, j.at_ms, j.payload, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
FROM JSON_TABLE(?, '$[*]' COLUMNS (
  seq BIGINT PATH '$[0]',
  kind VARCHAR(8) PATH '$[1]',
  effective INT PATH '$[2]',
  item_id BIGINT PATH '$[3]',
  units BIGINT PATH '$[4]',
  move_number BIGINT PATH '$[5]',
  user_id VARCHAR(64) PATH '$[6]',
  win_epoch BIGINT PATH '$[7]',
  win_seq BIGINT PATH '$[8]',
  at_ms BIGINT PATH '$[9]',
  payload VARCHAR(4000) PATH '$[10]')) j

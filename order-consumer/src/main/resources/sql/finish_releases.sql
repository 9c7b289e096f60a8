UPDATE JSON_TABLE(?, '$[*]' COLUMNS (epoch BIGINT PATH '$[0]', seq BIGINT PATH '$[1]')) j
STRAIGHT_JOIN outbox x FORCE INDEX (outbox_win)
  ON x.region = ? AND x.shard = ? AND x.epoch = j.epoch AND x.seq = j.seq
SET x.state = 'DONE', x.done_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE x.state = 'PENDING'

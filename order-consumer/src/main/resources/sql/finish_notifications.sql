-- What became of calls. Taken by the receiver is taken, whoever called; what failed counts only for
-- the call that was the latest.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
  id BIGINT PATH '$[0]',
  tries INT PATH '$[1]',
  state VARCHAR(16) PATH '$[2]',
  failure VARCHAR(200) PATH '$[3]',
  pause_ms BIGINT PATH '$[4]')) j
STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = j.id
SET n.state = j.state,
  n.failure = j.failure,
  n.next_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 + j.pause_ms
WHERE (n.state = 'PENDING' AND n.tries = j.tries) OR (n.state <> 'DONE' AND j.state = 'DONE')

-- Taken for so long that their call has ended; counted before it, so that one whose calls end
-- processes is not tried for ever.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = j.id
SET n.tries = n.tries + 1, n.next_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 + ?

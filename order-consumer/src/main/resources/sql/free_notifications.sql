-- The turn of these has come.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = j.id
SET n.next_at_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
WHERE n.state = 'PENDING' AND n.next_at_ms = 9223372036854775807

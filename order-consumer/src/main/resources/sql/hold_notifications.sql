-- Until the one before them has ended: a time that never comes.
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = j.id
SET n.next_at_ms = 9223372036854775807

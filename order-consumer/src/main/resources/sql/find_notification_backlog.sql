-- How many wait, how long the first of them has, and how many are dead. Read from the index alone,
-- but for one row.
SELECT p.waiting, COALESCE(c.now_ms - f.created_at_ms, 0), d.dead
FROM (SELECT COUNT(*) AS waiting, MIN(id) AS first_id FROM notifications WHERE state = 'PENDING') p
CROSS JOIN (SELECT COUNT(*) AS dead FROM notifications WHERE state = 'DEAD') d
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c
LEFT JOIN notifications f ON f.id = p.first_id

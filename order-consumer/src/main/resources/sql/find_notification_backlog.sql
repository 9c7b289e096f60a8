-- How many wait, how long the first of them has, and how many are dead. Read from the index alone, but
-- for one row, and no further than 100001 of each: then the first is that of those due first.
SELECT p.waiting, COALESCE(c.now_ms - f.created_at_ms, 0), d.dead
FROM (SELECT COUNT(*) AS waiting, MIN(id) AS first_id
  FROM (SELECT id FROM notifications FORCE INDEX (notifications_due) WHERE state = 'PENDING'
    ORDER BY next_at_ms LIMIT 100001) w) p
CROSS JOIN (SELECT COUNT(*) AS dead
  FROM (SELECT id FROM notifications FORCE INDEX (notifications_due) WHERE state = 'DEAD'
    LIMIT 100001) x) d
CROSS JOIN (SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 AS now_ms) c
LEFT JOIN notifications f ON f.id = p.first_id

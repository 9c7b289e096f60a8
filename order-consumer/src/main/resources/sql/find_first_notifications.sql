-- The first PENDING one of each of these users: the only one that may be told.
SELECT n.user_id, MIN(n.id)
FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id VARCHAR(64) PATH '$')) u
STRAIGHT_JOIN notifications n FORCE INDEX (notifications_of_user)
  ON n.user_id = u.user_id AND n.state = 'PENDING'
GROUP BY n.user_id

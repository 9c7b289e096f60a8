-- Without archived items: with their receipts Redis forgets what users hold of the group by them.
SELECT h.user_id, SUM(h.units), MAX(g.limit_per_user)
FROM item_groups g
JOIN items i ON i.group_id = g.group_id AND i.state <> 'ARCHIVED'
JOIN holdings h ON h.item_id = i.item_id
WHERE g.group_id = ?
GROUP BY h.user_id
HAVING SUM(h.units) > MAX(g.limit_per_user)
LIMIT 20

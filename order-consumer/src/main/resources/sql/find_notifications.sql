SELECT id, user_id, order_id, status, reason, promoted, created_at_ms, state, tries, failure
FROM notifications
WHERE state = ? AND id > ?
ORDER BY id
LIMIT ?

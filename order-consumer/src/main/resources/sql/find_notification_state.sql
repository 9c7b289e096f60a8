SELECT state FROM notifications WHERE id = ?

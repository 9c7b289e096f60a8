SELECT digest FROM audit_log WHERE request_id = ?

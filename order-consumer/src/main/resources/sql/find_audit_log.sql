SELECT digest, asked, done FROM audit_log WHERE request_id = ?

-- What operators did. The unique request id makes every change of theirs happen once; the digest
-- tells a repeat from another request under the same id.
CREATE TABLE IF NOT EXISTS audit_log (
  id BIGINT NOT NULL AUTO_INCREMENT,
  request_id VARCHAR(64) NOT NULL,
  actor VARCHAR(64) NOT NULL,
  action VARCHAR(32) NOT NULL,
  item_id BIGINT NOT NULL,
  detail VARCHAR(2000) NOT NULL,
  digest VARCHAR(64) NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY audit_log_request (request_id),
  KEY audit_log_item (item_id, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- What a receiver outside is to be told, written with the change that it tells. id is the receiver's
-- name for it. States: PENDING, DONE, DEAD. next_at_ms, MySQL time, is when the next thing happens to
-- it: a try of a PENDING one (a time beyond all others while an earlier one of the same user is
-- PENDING), the deletion of a DONE one.
CREATE TABLE IF NOT EXISTS notifications (
  id BIGINT NOT NULL AUTO_INCREMENT,
  user_id VARCHAR(64) NOT NULL,
  order_id VARCHAR(26) NOT NULL,
  status VARCHAR(16) NOT NULL,
  reason VARCHAR(64) NOT NULL,
  promoted TINYINT NOT NULL,
  state VARCHAR(16) NOT NULL,
  tries INT NOT NULL,
  failure VARCHAR(200) NOT NULL,
  next_at_ms BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id),
  KEY notifications_due (state, next_at_ms),
  KEY notifications_of_user (user_id, state)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

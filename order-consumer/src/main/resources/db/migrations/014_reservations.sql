-- Who asked to be let in when an item opens.
CREATE TABLE IF NOT EXISTS reservations (
  item_id BIGINT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (item_id, user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

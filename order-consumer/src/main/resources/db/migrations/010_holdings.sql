-- Units of an item that a user's orders hold. The last guard of the limit.
CREATE TABLE IF NOT EXISTS holdings (
  item_id BIGINT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  units INT NOT NULL,
  PRIMARY KEY (item_id, user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

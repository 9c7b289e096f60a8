-- Variants of one thing with one limit over all of them, fixed when the first item is created.
CREATE TABLE IF NOT EXISTS item_groups (
  group_id VARCHAR(64) NOT NULL,
  limit_per_user INT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (group_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

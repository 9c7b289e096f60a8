-- Users and addresses that are kept out; until_ms 0 means for good.
CREATE TABLE IF NOT EXISTS blocks (
  kind VARCHAR(16) NOT NULL,
  subject VARCHAR(64) NOT NULL,
  reason VARCHAR(200) NOT NULL,
  actor VARCHAR(64) NOT NULL,
  until_ms BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (kind, subject)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

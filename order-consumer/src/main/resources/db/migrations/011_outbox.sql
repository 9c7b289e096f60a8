-- Releases that Redis has to hear of. DONE only by the transaction that stores the log entry.
CREATE TABLE IF NOT EXISTS outbox (
  id BIGINT NOT NULL AUTO_INCREMENT,
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  reason VARCHAR(64) NOT NULL,
  state VARCHAR(16) NOT NULL,
  created_at_ms BIGINT NOT NULL,
  done_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY outbox_win (region, shard, epoch, seq),
  KEY outbox_open (state, region, shard, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- Money that has to go back: of a paid order, or of a payment that came too late.
CREATE TABLE IF NOT EXISTS refunds (
  id BIGINT NOT NULL AUTO_INCREMENT,
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  payment_id VARCHAR(128) NOT NULL,
  amount_minor BIGINT NOT NULL,
  currency VARCHAR(3) NOT NULL,
  state VARCHAR(16) NOT NULL,
  created_at_ms BIGINT NOT NULL,
  done_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY refunds_payment (payment_id),
  KEY refunds_order (region, shard, epoch, seq),
  KEY refunds_open (state, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

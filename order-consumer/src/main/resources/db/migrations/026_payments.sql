-- What buyers pay, and what the provider said of it. States: OPEN (it is the buyer's turn), PAID (the
-- money came; whether it paid the order or goes back, refunds says), FAILED (none came), MISMATCH (the
-- provider told another amount: told_minor, told_currency; nothing was paid by it). Only PAID is
-- final. ask_at_ms is when the provider is asked about it next.
CREATE TABLE IF NOT EXISTS payments (
  payment_id VARCHAR(64) NOT NULL,
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  amount_minor BIGINT NOT NULL,
  currency VARCHAR(3) NOT NULL,
  state VARCHAR(16) NOT NULL,
  provider_ref VARCHAR(128) NOT NULL,
  told_minor BIGINT NOT NULL,
  told_currency VARCHAR(16) NOT NULL,
  created_at_ms BIGINT NOT NULL,
  ask_at_ms BIGINT NOT NULL,
  done_at_ms BIGINT NOT NULL,
  PRIMARY KEY (payment_id),
  KEY payments_of_order (region, shard, epoch, seq),
  KEY payments_open (state, ask_at_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

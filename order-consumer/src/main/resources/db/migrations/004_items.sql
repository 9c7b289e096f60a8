-- units_in: units of all moves, also those that Redis has not heard of. units_out: units that left
-- a shard, and those that a release after the end took off the grant. held_units never exceeds
-- units_in - units_out.
CREATE TABLE IF NOT EXISTS items (
  item_id BIGINT NOT NULL,
  name VARCHAR(200) NOT NULL,
  price_minor BIGINT NOT NULL,
  currency VARCHAR(3) NOT NULL,
  picture VARCHAR(500) NOT NULL,
  limit_per_user INT NOT NULL,
  starts_at_ms BIGINT NOT NULL,
  ends_at_ms BIGINT NOT NULL,
  pay_within_ms BIGINT NOT NULL,
  stock BIGINT NOT NULL,
  state VARCHAR(16) NOT NULL,
  generation BIGINT NOT NULL,
  restocks BIGINT NOT NULL,
  units_in BIGINT NOT NULL,
  units_out BIGINT NOT NULL,
  held_units BIGINT NOT NULL,
  archived SMALLINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  PRIMARY KEY (item_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- The durable row that a win becomes, under the win's own name. won_at_ms is Redis time,
-- created_at_ms and pay_by_ms are MySQL time. held_units is the one truth of what an order holds:
-- its quantity until the UPDATE that writes the release sets it to 0. A line holds its quantity
-- exactly while the order's held_units is above 0, because only whole orders are released.
CREATE TABLE IF NOT EXISTS orders (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  key_digest VARCHAR(16) NOT NULL,
  body_digest VARCHAR(16) NOT NULL,
  status VARCHAR(16) NOT NULL,
  reason VARCHAR(64) NOT NULL,
  held_units INT NOT NULL,
  quantity INT NOT NULL,
  total_minor BIGINT NOT NULL,
  currency VARCHAR(3) NOT NULL,
  won_at_ms BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  pay_by_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard, epoch, seq),
  KEY orders_of_user (user_id, won_at_ms),
  KEY orders_due (status, pay_by_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

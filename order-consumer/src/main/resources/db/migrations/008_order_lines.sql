-- What was won, and the limit that the win was checked against. Whether it is still held, the
-- order says. The key of users is for reading an item's receipts page by page.
CREATE TABLE IF NOT EXISTS order_lines (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  item_id BIGINT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  quantity INT NOT NULL,
  price_minor BIGINT NOT NULL,
  limit_per_user INT NOT NULL,
  PRIMARY KEY (region, shard, epoch, seq, item_id),
  KEY order_lines_of_user (item_id, region, shard, user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- Units of an item that the ledger has given to a region; the rest is the reserve.
CREATE TABLE IF NOT EXISTS grants (
  item_id BIGINT NOT NULL,
  region SMALLINT NOT NULL,
  units BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  PRIMARY KEY (item_id, region)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- The stop switch of all sales of a region; no row: never touched.
CREATE TABLE IF NOT EXISTS sales_switch (
  region SMALLINT NOT NULL,
  stopped SMALLINT NOT NULL,
  generation BIGINT NOT NULL,
  changed_by VARCHAR(64) NOT NULL,
  changed_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

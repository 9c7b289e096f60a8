-- Who may open a shard, and under which epoch. The row is the lease, and every transaction that
-- stores entries holds it in share mode, so that closing an epoch waits for them. Every epoch up to
-- closed_to is over; one that has no row in closed_epochs decided nothing that counts.
CREATE TABLE IF NOT EXISTS shards (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  closed_to BIGINT NOT NULL,
  state VARCHAR(16) NOT NULL,
  node VARCHAR(200) NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

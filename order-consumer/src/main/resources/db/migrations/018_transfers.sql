-- Units that one shard sent to another: a row for each log entry "send", stored at once and out of
-- the log's turn, or in its turn when the engine died between. A row is in effect whatever becomes
-- of the sending shard's log: the move by which to_shard lets the units in was written with it.
CREATE TABLE IF NOT EXISTS transfers (
  region SMALLINT NOT NULL,
  from_shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  item_id BIGINT NOT NULL,
  units BIGINT NOT NULL,
  to_shard SMALLINT NOT NULL,
  move_number BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, from_shard, epoch, seq),
  UNIQUE KEY transfers_move (item_id, region, to_shard, move_number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- Log entries that are not wins. effective is 0 for an entry of a closed epoch beyond its last
-- number: it is kept, and nothing follows from it. For a release, units is what went back in all,
-- and the payload's "lines" are [item, units, 1 = to stock | 0 = off the grant]. join and leave
-- name item and user.
CREATE TABLE IF NOT EXISTS shard_log (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  kind VARCHAR(8) NOT NULL,
  effective SMALLINT NOT NULL,
  item_id BIGINT NOT NULL,
  units BIGINT NOT NULL,
  move_number BIGINT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  win_epoch BIGINT NOT NULL,
  win_seq BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  payload JSON NOT NULL,
  created_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard, epoch, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- Entries that can never be stored, under their own name, so that a late insert finds them. The
-- numbers are unsigned, because an entry made by hand may have any stream id. States: OPEN (a win
-- counts as held, by user_id), RELEASED (its units went back), LOST (beyond the end of its epoch: it
-- never happened), FOREIGN (no entry of ours: it stands for no number).
CREATE TABLE IF NOT EXISTS dead_letters (
  region SMALLINT NOT NULL,
  shard SMALLINT NOT NULL,
  epoch BIGINT UNSIGNED NOT NULL,
  seq BIGINT UNSIGNED NOT NULL,
  reason VARCHAR(32) NOT NULL,
  detail VARCHAR(500) NOT NULL,
  payload MEDIUMTEXT NOT NULL,
  user_id VARCHAR(64) NOT NULL,
  state VARCHAR(16) NOT NULL,
  created_at_ms BIGINT NOT NULL,
  closed_at_ms BIGINT NOT NULL,
  PRIMARY KEY (region, shard, epoch, seq),
  KEY dead_letters_open (state, created_at_ms),
  KEY dead_letters_of_user (region, shard, user_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin

-- Units that a change was to move, how many moved at once, and how many of them went into the
-- item's reserve (out of it: below 0). What moves out did comes on top: moves.units_done.
ALTER TABLE audit_log
  ADD COLUMN asked BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN done BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN reserved BIGINT NOT NULL DEFAULT 0

-- units_done: how many units the log entry says really moved; of a move out they may be fewer than
-- were asked for, because held units stay.
ALTER TABLE moves
  ADD COLUMN units_done BIGINT NOT NULL DEFAULT 0,
  ADD KEY moves_of_request (request_id)

-- A refund is tried until the provider has done it: when next, and how often it was.
ALTER TABLE refunds
  ADD COLUMN tries INT NOT NULL DEFAULT 0,
  ADD COLUMN next_at_ms BIGINT NOT NULL DEFAULT 0,
  ADD KEY refunds_due (state, next_at_ms),
  DROP KEY refunds_open

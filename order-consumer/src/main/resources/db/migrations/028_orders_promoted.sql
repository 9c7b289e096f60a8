-- promoted: 1 when the units came from the waitlist. changed_at_ms: MySQL time of the last change of
-- status, for who asks what is new; 0 for orders that did not change since this column came.
ALTER TABLE orders
  ADD COLUMN promoted TINYINT NOT NULL DEFAULT 0,
  ADD COLUMN changed_at_ms BIGINT NOT NULL DEFAULT 0

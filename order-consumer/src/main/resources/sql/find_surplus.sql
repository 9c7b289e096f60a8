-- Whether Redis, at place (?1, ?2), decided something that does not count: beyond the end of its
-- epoch, or in an earlier epoch whose end was lowered after this one was opened.
SELECT EXISTS (
  SELECT 1 FROM closed_epochs
  WHERE region = ? AND shard = ?
    AND ((epoch = ? AND last_seq < ?) OR (epoch < ? AND lowered_by > ?))) AS surplus

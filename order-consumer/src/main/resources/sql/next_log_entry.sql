-- The next number behind one of an epoch, and the next epoch, of a shard's entries that are not
-- wins. As for orders.
SELECT
  (SELECT MIN(seq) FROM shard_log WHERE region = ? AND shard = ? AND epoch = ? AND seq > ?) AS next_seq,
  (SELECT MIN(epoch) FROM shard_log WHERE region = ? AND shard = ? AND epoch > ?) AS next_epoch

-- The next number behind one of an epoch, and the next epoch, of a shard's orders. By MIN, which
-- is looked up in the key: for ORDER BY with LIMIT an optimizer may read the shard from its start.
SELECT
  (SELECT MIN(seq) FROM orders WHERE region = ? AND shard = ? AND epoch = ? AND seq > ?) AS next_seq,
  (SELECT MIN(epoch) FROM orders WHERE region = ? AND shard = ? AND epoch > ?) AS next_epoch

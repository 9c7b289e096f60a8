package io.seckill.common.item;

/** Where an item stands in its life. The order of the constants is the order of life. */
public enum ItemState {
  /** In the ledger only; Redis does not know it. */
  CREATED,
  /** Being split over the shards; no shard sells yet. */
  PREPARED,
  /** On sale within its window. */
  OPEN,
  /** On sale, but held by an operator; resumes to OPEN. */
  PAUSED,
  /** Over for good. */
  ENDED,
  /** Ended long ago: Redis has forgotten it, the ledger keeps it. */
  ARCHIVED
}

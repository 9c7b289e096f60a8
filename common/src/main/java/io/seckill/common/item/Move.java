package io.seckill.common.item;

import io.seckill.common.id.ItemId;

/**
 * A numbered ledger row that changes what a shard may sell. Written in MySQL before Redis hears of
 * it; the shard applies only number = last + 1.
 *
 * @param item the item
 * @param shard the shard, 0 … S−1
 * @param number 1, 2, 3 … for each (item, shard)
 * @param kind why
 * @param units units that come in, 0 or more
 */
public record Move(ItemId item, int shard, long number, Kind kind, long units) {

  /** Why units move. */
  public enum Kind {
    /** The first split of an item's stock over the shards. */
    PREHEAT,
    /** Units that an operator added to a preheated item. */
    RESTOCK
  }
}

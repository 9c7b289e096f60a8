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
 * @param units units that come in, or that are to go out, 0 or more; of a move out less may really
 *     go, because held units stay
 */
public record Move(ItemId item, int shard, long number, Kind kind, long units) {

  /** Why units move. */
  public enum Kind {
    /** The first split of an item's stock over the shards. */
    PREHEAT,
    /** Units that an operator added to a preheated item. */
    RESTOCK,
    /** Units out of the item's reserve, because its cap was raised. */
    GRANT,
    /** Units that another shard sent. */
    TRANSFER,
    /** Units that an operator takes away. */
    WITHDRAW,
    /** Units that go back into the item's reserve, because its cap was lowered. */
    HOLD_BACK;

    /** Whether units come in; else they go out. */
    public boolean isIn() {
      return switch (this) {
        case PREHEAT, RESTOCK, GRANT, TRANSFER -> true;
        case WITHDRAW, HOLD_BACK -> false;
      };
    }
  }
}

package io.seckill.common.audit;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A user's receipt of an item beside his orders of it, as of one place in the log.
 *
 * @param shard where
 * @param item what
 * @param user whose
 * @param receiptUnits the number that the receipt begins with; 0 without a receipt
 * @param receiptHeld held records of the receipt: place → units
 * @param orderHeld held orders: place → units
 * @param excused wins that are neither an order nor lost: not stored yet, or an open dead letter
 */
public record ReceiptFacts(
    ShardRef shard,
    ItemId item,
    UserId user,
    long receiptUnits,
    Map<EntryId, Long> receiptHeld,
    Map<EntryId, Long> orderHeld,
    Set<EntryId> excused) {

  /** Copies the collections. */
  public ReceiptFacts {
    receiptHeld = Map.copyOf(new TreeMap<>(receiptHeld));
    orderHeld = Map.copyOf(new TreeMap<>(orderHeld));
    excused = Set.copyOf(excused);
  }
}

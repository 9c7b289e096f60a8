package io.seckill.common.audit;

import io.seckill.common.id.ItemId;

/**
 * An item's units at the moment of an audit.
 *
 * @param item which
 * @param granted units that moves brought in, less what went out; moves between shards do not count
 * @param left units in stock over all shards
 * @param held units held by stored orders
 * @param inFlight units won and not stored yet
 * @param wins wins stored, in any state
 * @param betweenShards units that one shard sent and the other has not let in yet; shards are read
 *     one after the other, so below 0 when units arrived between two readings
 */
public record ItemTotals(
    ItemId item, long granted, long left, long held, long inFlight, long wins, long betweenShards) {

  /** Totals with nothing on its way between shards. */
  public ItemTotals(ItemId item, long granted, long left, long held, long inFlight, long wins) {
    this(item, granted, left, held, inFlight, wins, 0);
  }
}

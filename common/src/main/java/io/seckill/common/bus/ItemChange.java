package io.seckill.common.bus;

import io.seckill.common.id.ItemId;

/**
 * An operator's change of an item. Sent by the gateway to the engine, and by the engine to the
 * ledger, which writes it first. Idempotent by request id.
 *
 * @param requestId idempotency of the request, {@code [A-Za-z0-9_.:-]{1,64}}
 * @param actor who asks, for the audit log
 * @param item which item
 * @param action what to do
 * @param units for RESTOCK: 1 … 10^9; else 0
 * @param shardCount S of the engine that sends it on; 0 from the gateway
 */
public record ItemChange(
    String requestId, String actor, ItemId item, Action action, long units, int shardCount) {

  /** What an operator can do to an item. */
  public enum Action {
    /** Split the stock over the shards and open. A second time it does nothing. */
    PREHEAT,
    /** Add units to a preheated item. */
    RESTOCK,
    /** Hold the sale. */
    PAUSE,
    /** Go on. */
    RESUME,
    /** End the sale for good. */
    END
  }
}

package io.seckill.common.bus;

import io.seckill.common.id.ItemId;
import java.util.List;

/**
 * An operator's change of an item. Sent by the gateway to the engine, and by the engine to the
 * ledger, which writes it first. Idempotent by request id.
 *
 * @param requestId idempotency of the request, {@code [A-Za-z0-9_.:-]{1,64}}
 * @param actor who asks, for the audit log
 * @param item which item
 * @param action what to do
 * @param values what the action needs
 * @param shardCount S of the engine that sends it on; 0 from the gateway
 * @param stockHint units in each shard as the engine has just read them, by which units that go out
 *     are split; empty when unknown, and from the gateway
 */
public record ItemChange(
    String requestId,
    String actor,
    ItemId item,
    Action action,
    Values values,
    int shardCount,
    List<Long> stockHint) {

  /** Copies the list. */
  public ItemChange {
    stockHint = List.copyOf(stockHint);
  }

  /** As a gateway sends it. */
  public ItemChange(String requestId, String actor, ItemId item, Action action, Values values) {
    this(requestId, actor, item, action, values, 0, List.of());
  }

  /** As an engine sends it on. */
  public ItemChange over(int shards, List<Long> hint) {
    return new ItemChange(requestId, actor, item, action, values, shards, hint);
  }

  /** What an operator can do to an item. */
  public enum Action {
    /** Split the stock over the shards and open. A second time it does nothing. */
    PREHEAT,
    /** Add units to a preheated item; beyond its cap they go to the reserve. */
    RESTOCK,
    /** Take units away, never more than are not held. */
    WITHDRAW,
    /** Restock or withdraw the difference to a total. */
    SET_TOTAL,
    /** Bound the units that shards may be given. */
    CAP,
    /** Change the limit per user; binds new purchases only. */
    SET_LIMIT,
    /** Change opening and end. */
    SET_WINDOW,
    /** Hold the sale. */
    PAUSE,
    /** Go on. */
    RESUME,
    /** End the sale for good. */
    END
  }

  /**
   * What an action needs; 0 where it needs nothing.
   *
   * @param units RESTOCK and WITHDRAW: 1 … 10^9; SET_TOTAL: 0 … 10^9; CAP: 0 … 10^9, or {@code
   *     ItemRecord.NO_CAP} to lift it
   * @param limitPerUser SET_LIMIT: 1 … 100
   * @param startsAtMs SET_WINDOW: opening, epoch milliseconds
   * @param endsAtMs SET_WINDOW: end, epoch milliseconds
   */
  public record Values(long units, int limitPerUser, long startsAtMs, long endsAtMs) {

    /** For actions that need nothing. */
    public static final Values NONE = new Values(0, 0, 0, 0);

    /** For actions on units. */
    public static Values ofUnits(long units) {
      return new Values(units, 0, 0, 0);
    }

    /** For SET_LIMIT. */
    public static Values ofLimit(int limitPerUser) {
      return new Values(0, limitPerUser, 0, 0);
    }

    /** For SET_WINDOW. */
    public static Values ofWindow(long startsAtMs, long endsAtMs) {
      return new Values(0, 0, startsAtMs, endsAtMs);
    }
  }
}

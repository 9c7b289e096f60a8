package io.seckill.engine;

import io.seckill.common.id.ItemId;
import java.util.List;

/**
 * An item's units over all shards, as one pass found them. The shards were read one after another,
 * but {@link #unsold} is right all the same: units that travelled meanwhile count once.
 *
 * @param item what
 * @param pass the number of the pass
 * @param selling whether purchases can win units of it now, as far as state and window say
 * @param shards in shard order
 */
record ItemStocks(ItemId item, long pass, boolean selling, List<Shard> shards) {

  /** Copies the list. */
  ItemStocks {
    shards = List.copyOf(shards);
  }

  /**
   * One shard's part.
   *
   * @param readable whether the shard is open and knows the item; else the numbers say nothing
   * @param stock units to sell; below 0 a debt that releases pay first
   * @param sent units ever sent to other shards
   * @param received units ever received from other shards
   * @param granted units that came in, less what went out for good
   * @param lastMove number of the last move applied
   * @param waiters buyers who wait here for a unit
   * @param oldest score of the one who waits longest, comparable between shards; the highest of all
   *     when nobody waits
   */
  record Shard(
      boolean readable,
      long stock,
      long sent,
      long received,
      long granted,
      long lastMove,
      long waiters,
      long oldest) {

    /** Nobody who waits has so high a score. */
    static final long NOBODY = Long.MAX_VALUE;

    static final Shard UNREADABLE = new Shard(false, 0, 0, 0, 0, 0, 0, NOBODY);

    /** Units that a purchase can win here. */
    long left() {
      return Math.max(0, stock);
    }

    /** Units that buyers have taken here, less what they gave back. */
    long held() {
      return granted + received - sent - stock;
    }
  }

  /** Whether all shards could be read. */
  boolean everywhere() {
    return shards.stream().allMatch(Shard::readable);
  }

  /** Units on sale in the readable shards. */
  long left() {
    return shards.stream().mapToLong(Shard::left).sum();
  }

  /** Buyers who wait in the readable shards. */
  long waiters() {
    return shards.stream().mapToLong(Shard::waiters).sum();
  }

  /** Units on their way between shards; means something only when all shards could be read. */
  long travelling() {
    return shards.stream().mapToLong(shard -> shard.sent() - shard.received()).sum();
  }

  /** Units that nobody holds yet, on their way included. */
  long unsold() {
    return left() + Math.max(0, travelling());
  }

  /** Units that shards were ever given. */
  long granted() {
    return shards.stream().mapToLong(Shard::granted).sum();
  }
}

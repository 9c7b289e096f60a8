package io.seckill.engine;

import io.seckill.common.id.ItemId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How fast each shard has been selling each item lately: a mean over readings that halves the
 * weight of the past with each of them. Belongs to one event loop.
 */
final class SaleTrend {

  private static final double WEIGHT_OF_NOW = 0.5;

  /** Two readings closer than this tell nothing of a rate. */
  private static final long MIN_INTERVAL_NANOS = 20_000_000;

  private final Map<ItemId, Seen> items = new HashMap<>();

  private static final class Seen {
    final ItemStocks stocks;
    final long atNanos;
    final double[] perSecond;

    Seen(ItemStocks stocks, long atNanos, double[] perSecond) {
      this.stocks = stocks;
      this.atNanos = atNanos;
      this.perSecond = perSecond;
    }
  }

  /**
   * Takes a reading.
   *
   * @return units a second that each shard sold lately, releases taken off; 0 for an unreadable one
   */
  double[] after(ItemStocks now, long atNanos) {
    Seen before = items.get(now.item());
    int shards = now.shards().size();
    if (before == null) {
      items.put(now.item(), new Seen(now, atNanos, new double[shards]));
      return new double[shards];
    }
    if (atNanos - before.atNanos < MIN_INTERVAL_NANOS) {
      return before.perSecond;
    }
    double seconds = (atNanos - before.atNanos) / 1e9;
    double[] perSecond = new double[shards];
    for (int shard = 0; shard < shards; shard++) {
      ItemStocks.Shard then = before.stocks.shards().get(shard);
      ItemStocks.Shard here = now.shards().get(shard);
      if (then.readable() && here.readable()) {
        double sold = here.held() - then.held();
        perSecond[shard] =
            Math.max(
                0, before.perSecond[shard] * (1 - WEIGHT_OF_NOW) + sold / seconds * WEIGHT_OF_NOW);
      }
    }
    items.put(now.item(), new Seen(now, atNanos, perSecond));
    return perSecond;
  }

  /** Forgets all other items. */
  void keepOnly(Set<ItemId> kept) {
    items.keySet().retainAll(kept);
  }
}

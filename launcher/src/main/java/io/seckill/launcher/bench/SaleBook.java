package io.seckill.launcher.bench;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was put on sale at one site and what its buyers were told. For one thread. */
final class SaleBook {

  private final Map<ItemId, Long> stocks = new LinkedHashMap<>();
  private final Set<ItemId> shortages = new HashSet<>();
  private final Tally all = new Tally();

  void open(ItemId item, long stock) {
    stocks.put(item, stock);
  }

  /**
   * Adds a measurement.
   *
   * @param items what its buyers asked for
   */
  void add(List<ItemId> items, Tally tally) {
    all.add(tally);
    if (tally.refused(ErrorCode.SOLD_OUT) > 0) {
      shortages.addAll(items);
    }
  }

  /** Units by item. */
  Map<ItemId, Long> stocks() {
    return stocks;
  }

  /** Items of which somebody was told that they are sold out; each buyer wanted one unit. */
  Set<ItemId> shortages() {
    return shortages;
  }

  /** All measurements together. */
  Tally all() {
    return all;
  }
}

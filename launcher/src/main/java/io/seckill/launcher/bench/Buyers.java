package io.seckill.launcher.bench;

import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.order.PurchaseLine;
import java.util.List;
import java.util.function.LongFunction;

/** People who buy one unit once, each with an idempotency key as the shop page sends one. */
final class Buyers {

  private Buyers() {}

  /**
   * Buyers of an item.
   *
   * @param names the start of their names, another one for each measurement
   */
  static LongFunction<PurchaseRequest> of(ItemId item, String names) {
    List<PurchaseLine> lines = lines(item);
    return n -> purchase(names + n, lines, n);
  }

  /** Buyers of several items in turn. */
  static LongFunction<PurchaseRequest> of(List<ItemId> items, String names) {
    List<List<PurchaseLine>> each = items.stream().map(Buyers::lines).toList();
    return n -> purchase(names + n, each.get((int) (n % each.size())), n);
  }

  /** Buyers of a series of items, so many of each before the next one's. */
  static LongFunction<PurchaseRequest> ofSeries(List<ItemId> items, int ofEach, String names) {
    List<List<PurchaseLine>> each = items.stream().map(Buyers::lines).toList();
    return n -> purchase(names + n, each.get((int) (n / ofEach)), n);
  }

  static List<PurchaseLine> lines(ItemId item) {
    return List.of(new PurchaseLine(item, new Quantity(1)));
  }

  static PurchaseRequest purchase(String user, List<PurchaseLine> lines, long click) {
    return new PurchaseRequest(
        new UserId(user), new IdempotencyKey("click-" + click), lines, EngineLoad.BUDGET_MS);
  }
}

package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.load.LoadOptions;
import io.seckill.launcher.local.TemporaryStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code bench orders}: how fast the consumer turns wins into stored orders, beside a bare loop
 * that writes as many rows into the same tables and beside orders that are inserted one by one; all
 * on one database server, which syncs every commit to disk. Wins are made while the consumer is
 * held back, so nothing sells while something is measured.
 */
public final class OrdersBench {

  private static final Duration SELL_BOUND = Duration.ofMinutes(2);
  private static final Duration STORED_BOUND = Duration.ofMinutes(5);
  private static final long POLL_MS = 2;

  /** The warm-up is one round with so much less. */
  private static final int WARM_UP_PART = 2;

  private final OrdersBenchOptions options;
  private final TemporaryStage stage;
  private final Consumer<String> progress;
  private final SaleBook book = new SaleBook();
  private final List<Double> ours = new ArrayList<>();
  private final List<Double> bare = new ArrayList<>();
  private final List<Double> single = new ArrayList<>();
  private BenchSite site;
  private EngineLoad load;
  private ItemId item;
  private int names;

  /**
   * A bench that has not begun.
   *
   * @param stage where it takes place; the caller closes it
   * @param progress hears one line at a time
   */
  public OrdersBench(OrdersBenchOptions options, TemporaryStage stage, Consumer<String> progress) {
    this.options = options;
    this.stage = stage;
    this.progress = progress;
  }

  /** Runs it; waits for minutes. */
  public OrdersReport run() {
    progress.accept("starting Redis, MariaDB and all roles");
    site =
        stage.start(
            () ->
                BenchSite.start(
                    stage.folder().resolve("orders"), Durability.NONE, options.shards()));
    load = new EngineLoad(site.vertx(), LoadOptions.lanes());
    long stock = (options.rounds() + 1L) * options.orders();
    item = site.open("Plenty", stock);
    book.open(item, stock);
    try (PlainOrders plain =
        new PlainOrders(site.vertx(), site.mysql(), options.shards(), site.storeBatch())) {
      progress.accept("warm-up");
      int few = Math.max(1, options.orders() / WARM_UP_PART);
      store(few);
      plain.storeBatches(few);
      plain.storeSingly(options.single());
      for (int round = 0; round < options.rounds(); round++) {
        progress.accept(
            "round %d of %d: %,d orders each, then one by one"
                .formatted(round + 1, options.rounds(), options.orders()));
        measure(plain, round);
      }
    }
    progress.accept("auditing");
    BenchVerdict verdict = BenchVerdict.of(book, site.awaitStored(STORED_BOUND, progress));
    return new OrdersReport(
        options,
        new Comparison(ours, single),
        new Comparison(ours, bare),
        new BenchEnd(verdict, book.all(), site.redis().version()));
  }

  /** One round of all three; {@code round} turns their order. */
  private void measure(PlainOrders plain, int round) {
    for (int turn = 0; turn < 3; turn++) {
      switch ((turn + round) % 3) {
        case 0 -> ours.add(store(options.orders()));
        case 1 -> bare.add(plain.storeBatches(options.orders()));
        default -> single.add(plain.storeSingly(options.single()));
      }
    }
  }

  /**
   * Wins are made, then the clock runs from the moment when the consumer is let go until the last
   * of them is an order.
   *
   * @return orders a second
   */
  private double store(int orders) {
    site.hold();
    Tally tally =
        load.run(
            Buyers.of(item, "o" + names++ + "-"),
            OrdersBenchOptions.IN_FLIGHT,
            Bounds.of(SELL_BOUND).atMost(orders));
    book.add(List.of(item), tally);
    long before = site.ordersStored();
    long startNs = System.nanoTime();
    site.release();
    while (site.ordersStored() < before + tally.accepted()) {
      if (System.nanoTime() - startNs > STORED_BOUND.toNanos()) {
        throw new LaunchException(
            "%,d of %,d orders were stored in %d s"
                .formatted(
                    site.ordersStored() - before, tally.accepted(), STORED_BOUND.toSeconds()));
      }
      Waiting.pause(POLL_MS);
    }
    double perSecond = tally.accepted() / ((System.nanoTime() - startNs) / 1e9);
    // What is acknowledged and trimmed after the last order must not fall into the next round.
    site.awaitTrimmed(STORED_BOUND, progress);
    return perSecond;
  }
}

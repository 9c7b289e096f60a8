package io.seckill.launcher.bench;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.demo.SaleDesk;
import io.seckill.launcher.load.LoadOptions;
import io.seckill.launcher.local.TemporaryStage;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code bench releases}: how long units of unpaid orders take to come back, when very many are due
 * at once and when few are, while another sale of the same shards goes on. A unit is back when
 * Redis can sell it.
 */
public final class ReleasesBench {

  private static final Duration SELL_BOUND = Duration.ofMinutes(2);
  private static final Duration STORED_BOUND = Duration.ofMinutes(5);
  private static final Duration RELEASE_BOUND = Duration.ofMinutes(5);
  private static final Duration ASK_BOUND = Duration.ofSeconds(10);

  /** With a second for each 10,000 orders longer than the database needs to be told so of each. */
  private static final long DUE_IN_MS = 5_000;

  private static final int ORDERS_PER_MS = 10;

  /** Leaves time to buy them all and to ask when each is due. */
  private static final Duration FEW_TIME_TO_PAY = Duration.ofSeconds(4);

  private static final int IN_FLIGHT = 1_024;
  private static final long POLL_MS = 5;
  private static final Duration SLICE = Duration.ofSeconds(1);

  /** As many units as the sale beside can want until every bound has passed. */
  private static final int SALE_SECONDS = 1_200;

  /** Units that come back are bought again by so many: they are really for sale. */
  private static final int BUY_AGAIN = 1_000;

  private final ReleasesBenchOptions options;
  private final TemporaryStage stage;
  private final Consumer<String> progress;
  private final SaleBook book = new SaleBook();
  private final List<String> reasons = new ArrayList<>();
  private final Tally before = new Tally();
  private final Tally during = new Tally();
  private BenchSite site;
  private EngineLoad load;
  private EngineLoad saleLoad;
  private ItemId sale;
  private Future<Tally> slice;
  private Tally sliceTally;
  private int names;

  /**
   * A bench that has not begun.
   *
   * @param stage where it takes place; the caller closes it
   * @param progress hears one line at a time
   */
  public ReleasesBench(
      ReleasesBenchOptions options, TemporaryStage stage, Consumer<String> progress) {
    this.options = options;
    this.stage = stage;
    this.progress = progress;
  }

  /** Runs it; waits for minutes. */
  public ReleasesReport run() {
    progress.accept("starting Redis, MariaDB and all roles");
    site =
        stage.start(
            () ->
                BenchSite.start(
                    stage.folder().resolve("releases"), Durability.NONE, options.shards()));
    load = new EngineLoad(site.vertx(), LoadOptions.lanes());
    saleLoad = new EngineLoad(site.vertx(), 1);
    sale =
        open(
            "Sale beside",
            (long) options.salePerSecond() * SALE_SECONDS,
            SaleDesk.USUAL_TIME_TO_PAY);
    ItemId due = open("Due at once", options.orders(), SaleDesk.USUAL_TIME_TO_PAY);
    ItemId few = open("Due now and then", options.few(), FEW_TIME_TO_PAY);

    progress.accept("selling %,d units to buyers who will not pay".formatted(options.orders()));
    sell(due, options.orders());
    site.awaitTrimmed(STORED_BOUND, progress);

    progress.accept("%,d orders will be due at once".formatted(options.orders()));
    double seconds = releaseAll(due);
    sell(due, Math.min(BUY_AGAIN, options.orders()));
    progress.accept("%d orders are due one after the other".formatted(options.few()));
    double lateMs = releaseFew(few);
    endSlice();
    ReleasesReport.Measured measured = new ReleasesReport.Measured(seconds, lateMs, before, during);
    reasons.addAll(measured.reasons());

    progress.accept("storing and auditing");
    BenchVerdict verdict =
        BenchVerdict.of(book, site.awaitStored(STORED_BOUND, progress)).with(reasons);
    return new ReleasesReport(
        options, measured, new BenchEnd(verdict, during, site.redis().version()));
  }

  private ItemId open(String name, long stock, Duration payWithin) {
    ItemId item = site.open(name, stock, payWithin);
    book.open(item, stock);
    return item;
  }

  private void sell(ItemId item, int units) {
    Tally tally =
        load.run(
            Buyers.of(item, "r" + names++ + "-"), IN_FLIGHT, Bounds.of(SELL_BOUND).atMost(units));
    book.add(List.of(item), tally);
    tally.missing(units).ifPresent(reasons::add);
  }

  /**
   * Gives all orders that are stored one end of their time to pay, a moment ahead, so that they are
   * due at once although it took seconds to store them.
   *
   * @return seconds from then until the last unit is back
   */
  private double releaseAll(ItemId item) {
    long dueMs = System.currentTimeMillis() + DUE_IN_MS + options.orders() / ORDERS_PER_MS;
    site.sql(
        "UPDATE orders JOIN order_lines USING (region, shard, epoch, seq) SET pay_by_ms = "
            + dueMs
            + " WHERE item_id = "
            + item);
    long early = 0;
    while (System.currentTimeMillis() < dueMs) {
      saleGoesOn(before);
      long units = site.unitsLeft(item);
      if (System.currentTimeMillis() < dueMs) {
        early = Math.max(early, units);
      }
      Waiting.pause(POLL_MS);
    }
    if (early > 0) {
      reasons.add("%d units were back before they were due".formatted(early));
    }
    endSlice();
    awaitBack(item, options.orders(), "the units of all that was due");
    return (System.currentTimeMillis() - dueMs) / 1e3;
  }

  /** How late the latest of a few orders came back, milliseconds after its time to pay. */
  private double releaseFew(ItemId item) {
    List<String> buyers = new ArrayList<>();
    for (int i = 0; i < options.few(); i++) {
      String name = "r" + names++ + "-";
      Tally tally = load.run(Buyers.of(item, name), 1, Bounds.of(SELL_BOUND).atMost(1));
      book.add(List.of(item), tally);
      buyers.add(name + "0");
      saleGoesOn(during);
    }
    ReturningUnits returning = new ReturningUnits(buyers.stream().map(this::dueOf).toList());
    long deadlineNs = System.nanoTime() + RELEASE_BOUND.toNanos();
    while (!returning.areAllBack()) {
      long units = site.unitsLeft(item);
      returning.saw(units, System.currentTimeMillis());
      giveUpAfter(deadlineNs, "the units of a few orders");
      saleGoesOn(during);
      Waiting.pause(POLL_MS);
    }
    returning.tooEarly().ifPresent(reasons::add);
    return returning.worstMs();
  }

  /** MySQL's clock is this machine's. */
  private long dueOf(String buyer) {
    long deadlineNs = System.nanoTime() + STORED_BOUND.toNanos();
    while (true) {
      OrderViews orders =
          Waiting.forResult(
              site.vertx()
                  .eventBus()
                  .<OrderViews>request(
                      Addresses.ORDERS, new OrdersQuery(new UserId(buyer), 1, null))
                  .map(Message::body),
              ASK_BOUND,
              "an order");
      if (!orders.orders().isEmpty() && orders.orders().get(0).payByMs() > 0) {
        return orders.orders().get(0).payByMs();
      }
      giveUpAfter(deadlineNs, "the order of " + buyer);
      Waiting.pause(POLL_MS);
    }
  }

  private void awaitBack(ItemId item, long units, String what) {
    long deadlineNs = System.nanoTime() + RELEASE_BOUND.toNanos();
    while (site.unitsLeft(item) < units) {
      giveUpAfter(deadlineNs, what);
      saleGoesOn(during);
      Waiting.pause(POLL_MS);
    }
  }

  private static void giveUpAfter(long deadlineNs, String what) {
    if (System.nanoTime() - deadlineNs > 0) {
      throw new LaunchException(what + " did not come back in " + RELEASE_BOUND.toSeconds() + " s");
    }
  }

  /** Begins the next second of the sale beside when there is none, and books the one that ended. */
  private void saleGoesOn(Tally into) {
    if (slice != null && !slice.isComplete()) {
      return;
    }
    endSlice();
    sliceTally = into;
    slice =
        saleLoad.startPaced(
            Buyers.of(sale, "s" + names++ + "-"), options.salePerSecond(), Bounds.of(SLICE));
  }

  private void endSlice() {
    if (slice != null) {
      Tally tally = Waiting.forResult(slice, Bounds.of(SLICE).waiting(), "the sale beside");
      book.add(List.of(sale), tally);
      sliceTally.add(tally);
      slice = null;
    }
  }
}

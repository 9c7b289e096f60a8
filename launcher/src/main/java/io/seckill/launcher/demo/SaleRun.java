package io.seckill.launcher.demo;

import io.seckill.common.bus.AuditReport;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.load.Crowd;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdPeople;
import io.seckill.launcher.load.CrowdPlan;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdRules;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.load.LoadOptions;
import io.seckill.launcher.load.OrderReader;
import io.seckill.launcher.load.StoredOrders;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * One sale, step by step: {@link #prepare}, {@link #warmUp}, {@link #sell}, {@link #awaitStored},
 * {@link #judge}. The steps wait, so they are for the thread of a command or a test, and each says
 * on the way how far it is.
 */
public final class SaleRun implements AutoCloseable {

  private static final Duration OPEN_BOUND = Duration.ofSeconds(20);
  private static final Duration STORED_BOUND = Duration.ofMinutes(2);
  private static final Duration AUDIT_ROUND = Duration.ofSeconds(2);
  private static final Duration READ_BOUND = Duration.ofSeconds(60);
  private static final long POLL_MS = 100;
  private static final long PROGRESS_MS = 1_000;

  /** A crowd is signed in before the clock starts; more people would only wait longer. */
  private static final int MAX_WARM_UP_USERS = 10_000;

  private static final int WARM_UP_CLICKS_A_SECOND = 60_000;

  private final SaleSite site;
  private final DemoOptions options;
  private final Items items;
  private final Consumer<String> progress;
  private final SaleDesk desk;
  private final Vertx load = Vertx.vertx(LoadOptions.vertx());
  private CrowdPeople people;
  private CrowdErrors warmUpErrors = CrowdErrors.NONE;
  private CrowdRecord crowd;

  /**
   * The items of a sale; each sale in one system needs fresh ones.
   *
   * @param warmUp sold before the clock starts
   * @param sale what it is about
   */
  public record Items(ItemId warmUp, ItemId sale) {}

  /**
   * A sale that has not begun.
   *
   * @param site where
   * @param options how large
   * @param items what
   * @param progress hears one line at a time, on any thread
   */
  public SaleRun(SaleSite site, DemoOptions options, Items items, Consumer<String> progress) {
    this.site = site;
    this.options = options;
    this.items = items;
    this.progress = progress;
    this.desk = new SaleDesk(site);
  }

  /** Makes, fills and opens the items, and signs the buyers in. */
  public void prepare() {
    desk.create(items.sale(), "Demo sale", options.stock(), options.crowd().limitPerUser());
    desk.preheat(items.sale());
    if (!options.warmUp().isZero()) {
      desk.create(items.warmUp(), "Warm-up", warmUpStock(), options.crowd().limitPerUser());
      desk.preheat(items.warmUp());
      awaitOnSale(items.warmUp());
    }
    awaitOnSale(items.sale());
    progress.accept("signing %,d buyers in".formatted(options.crowd().users()));
    people = CrowdPeople.signIn(plan(), MAX_WARM_UP_USERS, site.buyerToken());
  }

  /**
   * Sells another item to other people for a while, so that the sale does not measure a compiler.
   *
   * @return what those were answered; null when no warm-up is wanted
   */
  public CrowdRecord warmUp() {
    if (options.warmUp().isZero()) {
      return null;
    }
    long clicks = options.warmUp().toMillis() * WARM_UP_CLICKS_A_SECOND / 1_000;
    CrowdSize size =
        new CrowdSize(MAX_WARM_UP_USERS, (int) Math.max(clicks, 1), options.crowd().limitPerUser());
    CrowdPlan plan = CrowdPlan.draw("warm-" + items.warmUp(), size, options.seed() + 1);
    CrowdPeople others = CrowdPeople.signIn(plan, 0, site.buyerToken());
    CrowdRules rules =
        new CrowdRules(
            site.storefront(),
            options.connections(),
            options.warmUp(),
            options.warmUp().plusSeconds(30));
    CrowdRecord record =
        play("warm-up", new Crowd(load, plan, others, items.warmUp(), rules), rules);
    warmUpErrors = record.errors();
    awaitStored();
    return record;
  }

  private static int warmUpStock() {
    return MAX_WARM_UP_USERS / 2;
  }

  /** Lets the crowd in. */
  public CrowdRecord sell() {
    CrowdRules rules = rules(options.connections(), bound());
    crowd = play("sale", new Crowd(load, plan(), people, items.sale(), rules), rules);
    return crowd;
  }

  /** Half a minute, and what a system that manages 2,000 a second needs. */
  private Duration bound() {
    return Duration.ofSeconds(30 + options.crowd().requests() / 2_000);
  }

  private CrowdRecord play(String what, Crowd playing, CrowdRules rules) {
    long timer =
        load.setPeriodic(
            PROGRESS_MS,
            id -> progress.accept("%s: %,d answers".formatted(what, playing.answers())));
    try {
      return Waiting.forResult(playing.run(), rules.endAfter().plusSeconds(30), "the crowd");
    } finally {
      load.cancelTimer(timer);
    }
  }

  /**
   * Waits until every win is stored and no unit is between two shards, bounded.
   *
   * @return the last audit; something may still be on its way when the bound has passed
   */
  public AuditReport awaitStored() {
    long deadline = System.nanoTime() + STORED_BOUND.toNanos();
    while (true) {
      AuditReport report = desk.audit(AUDIT_ROUND);
      long onTheWay =
          report.items().stream()
              .mapToLong(item -> item.inFlight() + Math.abs(item.betweenShards()))
              .sum();
      if (onTheWay == 0 || System.nanoTime() - deadline > 0) {
        return report;
      }
      progress.accept("%,d units are not stored yet, or between shards".formatted(onTheWay));
    }
  }

  /** Audits, lets every winner look for his order, and judges. */
  public Verdict judge() {
    progress.accept("auditing");
    AuditReport audit = awaitStored();
    progress.accept("%,d winners look for their orders".formatted(crowd.wins().size()));
    CrowdRules rules = rules(Math.min(options.connections(), 16), READ_BOUND.plus(bound()));
    StoredOrders stored =
        Waiting.forResult(
            OrderReader.readAll(load, people, rules, crowd.wins()),
            rules.endAfter().plusSeconds(10),
            "the orders");
    SaleRecord.Terms terms =
        new SaleRecord.Terms(items.sale(), options.stock(), options.crowd().limitPerUser());
    return Verdict.of(new SaleRecord(terms, warmUpErrors, crowd, stored, audit));
  }

  private CrowdPlan plan() {
    return CrowdPlan.draw("buyer-" + items.sale(), options.crowd(), options.seed());
  }

  private CrowdRules rules(int connections, Duration bound) {
    return new CrowdRules(site.storefront(), connections, bound, bound);
  }

  private void awaitOnSale(ItemId item) {
    long deadline = System.nanoTime() + OPEN_BOUND.toNanos();
    while (!desk.isOnSale(item)) {
      if (System.nanoTime() - deadline > 0) {
        throw new LaunchException(
            "item " + item + " is not on sale " + OPEN_BOUND.toSeconds() + " s after preheat");
      }
      Waiting.pause(POLL_MS);
    }
  }

  /** Ends the threads of the load. */
  @Override
  public void close() {
    Waiting.forResult(load.close(), Duration.ofSeconds(10), "the end of the load");
  }
}

package io.seckill.launcher.demo;

import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.Crowd;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdPeople;
import io.seckill.launcher.load.CrowdPlan;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdRules;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.load.LoadOptions;
import io.seckill.launcher.load.OrderReader;
import io.seckill.launcher.load.Payers;
import io.seckill.launcher.load.StoredOrders;
import io.seckill.launcher.load.Waiters;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One sale, step by step: {@link #prepare}, {@link #warmUp}, {@link #sell}, where wins are paid
 * {@link #settle}, {@link #awaitStored}, {@link #judge}. The steps wait, so they are for the thread
 * of a command or a test, and each says on the way how far it is.
 */
public final class SaleRun implements AutoCloseable {

  private static final Duration OPEN_BOUND = Duration.ofSeconds(20);
  private static final Duration STORED_BOUND = Duration.ofMinutes(2);
  private static final Duration AUDIT_ROUND = Duration.ofSeconds(2);
  private static final Duration READ_BOUND = Duration.ofSeconds(60);
  private static final long POLL_MS = 100;
  private static final long SETTLE_POLL_MS = 500;

  /** Beside twenty times the time to pay, which is more rounds than a stock lasts. */
  private static final Duration SETTLE_BOUND = Duration.ofMinutes(2);

  /** To the shop, and as many to the provider. */
  private static final int PAYING_CONNECTIONS = 16;

  /** For everybody to look once more and to leave the line. */
  private static final Duration LEAVE_BOUND = Duration.ofSeconds(60);

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

  /** Null unless wins are paid. */
  private Payers payers;

  private boolean settled;

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
    desk.create(
        items.sale(),
        "Demo sale",
        options.stock(),
        options.crowd().limitPerUser(),
        options.paying().map(Paying::timeout).orElse(SaleDesk.USUAL_TIME_TO_PAY));
    desk.preheat(items.sale());
    if (!options.play().warmUp().isZero()) {
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
    if (options.play().warmUp().isZero()) {
      return null;
    }
    long clicks = options.play().warmUp().toMillis() * WARM_UP_CLICKS_A_SECOND / 1_000;
    CrowdSize size =
        new CrowdSize(MAX_WARM_UP_USERS, (int) Math.max(clicks, 1), options.crowd().limitPerUser());
    CrowdPlan plan = CrowdPlan.draw("warm-" + items.warmUp(), size, options.play().seed() + 1);
    CrowdPeople others = CrowdPeople.signIn(plan, 0, site.buyerToken());
    CrowdRules rules =
        new CrowdRules(
            site.storefront(),
            options.play().connections(),
            options.play().warmUp(),
            options.play().warmUp().plusSeconds(30));
    CrowdRecord record =
        play("warm-up", new Crowd(load, plan, others, items.warmUp(), rules), rules);
    warmUpErrors = record.errors();
    awaitStored();
    return record;
  }

  private static int warmUpStock() {
    return MAX_WARM_UP_USERS / 2;
  }

  /** Lets the crowd in. Where wins are paid, those who pay begin while the sale is on. */
  public CrowdRecord sell() {
    CrowdRules rules = rules(options.play().connections(), bound());
    if (options.paying().isPresent()) {
      double ratio = options.paying().get().ratio();
      CrowdPlan plan = plan();
      payers =
          Waiting.forResult(
              Payers.open(
                  load,
                  people,
                  rules(Math.min(options.play().connections(), PAYING_CONNECTIONS), bound()),
                  buyer -> plan.pays(buyer, ratio)),
              OPEN_BOUND,
              "the payers");
      rules = rules.with(payers::won);
    }
    crowd = play("sale", new Crowd(load, plan(), people, items.sale(), rules), rules);
    return crowd;
  }

  /**
   * Lets buyers who went away for lack of units stand in line, and waits until every unit is paid,
   * or nobody is left who wants it. Whoever let an order run out does not come again. Bounded; the
   * verdict tells when the bound came first.
   *
   * @return what all were answered, with the orders of those who waited
   */
  public CrowdRecord settle() {
    Duration timeout = options.paying().orElseThrow().timeout();
    Duration bound = SETTLE_BOUND.plus(timeout.multipliedBy(20));
    long deadline = System.nanoTime() + bound.toNanos();
    List<CrowdRecord.Shortage> losers = losers();
    progress.accept("%,d buyers who got nothing join the waitlist".formatted(losers.size()));
    Waiters waiters =
        Waiting.forResult(
            Waiters.open(
                load,
                people,
                rules(Math.min(options.play().connections(), PAYING_CONNECTIONS), bound)
                    .with(payers::won),
                new Waiters.Line(items.sale(), options.stock(), timeout.dividedBy(3)),
                crowd.wins(),
                losers),
            OPEN_BOUND,
            "the waitlist");
    awaitPaid(waiters, deadline);
    Waiters.Outcome waited =
        Waiting.forResult(
            waiters.close(LEAVE_BOUND), LEAVE_BOUND.plusSeconds(10), "the end of the waitlist");
    CrowdErrors paying =
        Waiting.forResult(payers.close(), Duration.ofSeconds(10), "the end of the payers");
    crowd = crowd.settled(waited, paying);
    return crowd;
  }

  /** Who was last refused for lack of units, and has not had his turn. */
  private List<CrowdRecord.Shortage> losers() {
    Set<Integer> hadTheirTurn =
        crowd.wins().stream()
            .map(AnsweredWin::buyer)
            .filter(buyer -> !payers.pays(buyer))
            .collect(Collectors.toSet());
    return crowd.shortages().stream()
        .filter(shortage -> !hadTheirTurn.contains(shortage.buyer()))
        .toList();
  }

  private void awaitPaid(Waiters waiters, long deadline) {
    String said = "";
    while (System.nanoTime() - deadline < 0) {
      ItemTotals now = totals(desk.audit(Duration.ZERO));
      long unpaid = now.held() + now.inFlight() - payers.paidUnits();
      if (unpaid <= 0 && payers.open() == 0 && (now.left() == 0 || waiters.open() == 0)) {
        settled = true;
        return;
      }
      String news =
          "%,d units are paid, %,d wait for payment, %,d are free; %,d buyers wait in line"
              .formatted(payers.paidUnits(), Math.max(0, unpaid), now.left(), waiters.open());
      if (!news.equals(said)) {
        progress.accept(news);
        said = news;
      }
      Waiting.pause(SETTLE_POLL_MS);
    }
  }

  private ItemTotals totals(AuditReport report) {
    return report.items().stream()
        .filter(each -> each.item().equals(items.sale()))
        .findFirst()
        .orElseThrow(() -> new LaunchException("the audit does not know item " + items.sale()));
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
    CrowdRules rules = rules(Math.min(options.play().connections(), 16), READ_BOUND.plus(bound()));
    StoredOrders stored =
        Waiting.forResult(
            OrderReader.readAll(load, people, rules, crowd.wins()),
            rules.endAfter().plusSeconds(10),
            "the orders");
    SaleRecord.Terms terms =
        new SaleRecord.Terms(items.sale(), options.stock(), options.crowd().limitPerUser());
    Optional<SaleRecord.Payments> paying =
        options.paying().map(wanted -> new SaleRecord.Payments(payers.paidOrders(), settled));
    return Verdict.of(new SaleRecord(terms, warmUpErrors, crowd, stored, audit, paying));
  }

  private CrowdPlan plan() {
    return CrowdPlan.draw("buyer-" + items.sale(), options.crowd(), options.play().seed());
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

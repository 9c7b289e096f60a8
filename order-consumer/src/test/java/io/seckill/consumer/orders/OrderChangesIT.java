package io.seckill.consumer.orders;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.Releases;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.bus.ReleasesWaiting;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.consumer.audit.AuditVerticle;
import io.seckill.consumer.ledger.LedgerVerticle;
import io.seckill.consumer.log.LogConsumerVerticle;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.lua.DecidePurchases;
import io.seckill.lua.PurchaseStatus;
import io.seckill.lua.StepResult;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How orders end, over the bus, with real scripts beside: units come back once, whoever asks. */
class OrderChangesIT {

  /** More in the long run, and no more than a minute of them. */
  private static final int ROUNDS = Math.min(Integer.getInteger("rounds", 10), 1_000);

  /** After so many rounds each end of a race must have been seen. */
  private static final int ENOUGH_ROUNDS = 100;

  private static final long STOCK = 1_000;

  private EmbeddedRedis redis;
  private FaultProxy mysql;
  private ConsumerBed bed;
  private Shop shop;
  private OrderIds ids;
  private final Queue<ReleasesWaiting> told = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start();
    MySqlAddress database = TestMariaDb.shared().newDatabase();
    mysql = FaultProxy.before(database.host(), database.port());
    bed =
        ConsumerBed.on(
            database,
            Map.of(
                "redis.uri",
                redis.uri(),
                "mysql.port",
                Integer.toString(mysql.port()),
                "mysql.connectTimeoutMs",
                "500",
                "orders.timeoutIntervalMs",
                "50",
                "orders.timeoutBatch",
                "7"));
    shop = new Shop(bed, redis).open();
    ids = new OrderIds(HexFormat.of().parseHex(bed.config().orderId().key().value()));
    await(bed.vertx().deployVerticle(new OrdersVerticle(bed.config(), bed.metrics())));
    await(bed.vertx().deployVerticle(new LedgerVerticle(bed.config(), bed.metrics())));
    await(bed.vertx().deployVerticle(new AuditVerticle(bed.config(), bed.metrics())));
    bed.vertx()
        .eventBus()
        .<ReleasesWaiting>consumer(Addresses.RELEASES, waiting -> told.add(waiting.body()));
    shop.sell(1, 1, STOCK);
  }

  @AfterEach
  void close() {
    mysql.heal();
    bed.close();
    mysql.close();
    redis.close();
  }

  private void consume() {
    await(
        bed.vertx()
            .deployVerticle(new LogConsumerVerticle(bed.config(), bed.metrics(), List.of(0))));
  }

  private void awaitNumber(String what, String sql, long expected) throws InterruptedException {
    Await.until(ConsumerBed.BOUND, what, () -> bed.number(sql) == expected);
  }

  private void awaitStored(long orders) throws InterruptedException {
    awaitNumber(orders + " orders are stored", "SELECT COUNT(*) FROM orders", orders);
  }

  private OrderId id(EntryId win) {
    return ids.seal(WinId.of(REGION, 0, win.epoch(), win.seq()));
  }

  private <A> Future<A> ask(String address, Object question) {
    Future<Message<A>> reply =
        bed.vertx()
            .eventBus()
            .request(address, question, new DeliveryOptions().setSendTimeout(20_000));
    return reply
        .map(Message::body)
        .recover(
            failure ->
                Future.failedFuture(BusFailures.translate(failure, ErrorCode.OUTCOME_UNKNOWN)));
  }

  private OrderView cancel(OrderCancel request) {
    return await(this.<OrderViews>ask(Addresses.CANCEL_ORDER, request)).orders().get(0);
  }

  private OrderCancel byUser(String user, EntryId win) {
    return OrderCancel.byUser(new UserId(user), id(win));
  }

  private static void assertRefused(ErrorCode code, Runnable step) {
    assertThatThrownBy(step::run)
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  private List<Releases.Release> waiting() {
    return await(
            this.<Releases>ask(Addresses.LEDGER_RELEASES, new ReleasesQuery(REGION, 0, 0, 500)))
        .releases();
  }

  private StepResult release(Releases.Release release) {
    return shop.release(release.user().value(), release.items().get(0).value(), release.win());
  }

  private void releaseAll() throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        "all is released and stored",
        () -> {
          waiting().forEach(this::release);
          return waiting().isEmpty();
        });
  }

  private long stock() {
    return Long.parseLong(shop.redis("GET", shop.keys(0).stock(new ItemId(1))).strip());
  }

  private void assertClean() throws InterruptedException {
    // It connects in the background.
    Await.until(
        ConsumerBed.BOUND,
        "the audit answers",
        () ->
            await(
                this.<AuditReport>ask(Addresses.AUDIT, new AuditRequest(null, 0))
                    .map(report -> true)
                    .otherwise(false)));
    AuditReport report =
        await(this.<AuditReport>ask(Addresses.AUDIT, new AuditRequest(null, 10_000)));
    assertThat(report.findings()).isEmpty();
  }

  @Test
  void cancelShouldEndTheOrderTellTheEnginesAndSayTheSameAgain() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    consume();
    awaitStored(1);

    OrderView view = cancel(byUser("ann", win));

    assertThat(view.status()).isEqualTo(OrderStatus.CANCELLED);
    assertThat(view.reason()).isEqualTo("user");
    assertThat(view.lines()).hasSize(1);
    Await.until(ConsumerBed.BOUND, "the engines are told", () -> !told.isEmpty());
    assertThat(told).containsExactly(new ReleasesWaiting(REGION, 0));
    assertThat(cancel(byUser("ann", win))).isEqualTo(view);
    assertThat(cancel(OrderCancel.byAdmin(id(win), "op"))).isEqualTo(view);
    assertThat(waiting()).hasSize(1);
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertThat(cancel(byUser("ann", win))).isEqualTo(view);
    assertThat(bed.registry().get("seckill.orders.ended").tag("reason", "user").counter().count())
        .isEqualTo(1);
    assertClean();
  }

  /** What operators did to orders. */
  private List<String> noted() {
    return bed.query("SELECT actor, action, detail FROM audit_log WHERE item_id = 0").stream()
        .map(row -> row.getString(0) + " " + row.getString(1) + " " + row.getString(2))
        .toList();
  }

  @Test
  void cancelByAnOperatorShouldBeNotedOnce() throws InterruptedException {
    EntryId byBuyer = shop.win("ann", 1, 1);
    EntryId byAdmin = shop.win("bob", 1, 1);
    consume();
    awaitStored(2);

    cancel(byUser("ann", byBuyer));
    cancel(OrderCancel.byAdmin(id(byBuyer), "op"));
    OrderView view = cancel(OrderCancel.byAdmin(id(byAdmin), "op"));
    cancel(OrderCancel.byAdmin(id(byAdmin), "eve"));

    assertThat(view.reason()).isEqualTo("admin");
    assertThat(noted()).containsExactly("op CANCEL_ORDER " + id(byAdmin));
  }

  @Test
  void OL_08_cancelShouldBeRefusedUntilTheOrderIsStored() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    Await.until(
        ConsumerBed.BOUND,
        "the log is read",
        () -> {
          Future<OrderViews> found =
              ask(Addresses.ORDER, new OrderQuery(new UserId("ann"), id(win)));
          return !await(found).orders().get(0).lines().isEmpty();
        });

    assertRefused(ErrorCode.BUSY, () -> cancel(byUser("ann", win)));
    assertRefused(ErrorCode.BUSY, () -> cancel(OrderCancel.byAdmin(id(win), "op")));
    assertRefused(ErrorCode.NOT_FOUND, () -> cancel(byUser("eve", win)));
    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isZero();

    consume();
    awaitStored(1);
    assertThat(cancel(byUser("ann", win)).status()).isEqualTo(OrderStatus.CANCELLED);
  }

  @Test
  void AU_04_cancelShouldNotFindAnothersOrder() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    consume();
    awaitStored(1);

    assertRefused(ErrorCode.NOT_FOUND, () -> cancel(byUser("eve", win)));
    assertRefused(
        ErrorCode.NOT_FOUND,
        () -> cancel(OrderCancel.byAdmin(new OrderId("00000000000000000000000000"), "op")));
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> cancel(new OrderCancel(id(win), new UserId("ann"), OrderCancel.BY_ADMIN, "op")));
    Future<OrderViews> seen = ask(Addresses.ORDER, new OrderQuery(null, id(win)));
    assertThat(await(seen).orders().get(0).status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
  }

  @Test
  void cancelShouldContradictWhatWasPaidAndRefundWhatWasNot() throws InterruptedException {
    EntryId paid = shop.win("ann", 1, 1);
    EntryId open = shop.win("bob", 1, 1);
    consume();
    awaitStored(2);
    await(
        bed.database()
            .inTransaction(
                connection ->
                    OrderLifeCycle.pay(connection, WinId.of(REGION, 0, paid.epoch(), paid.seq()))));

    assertRefused(ErrorCode.CONFLICT, () -> cancel(byUser("ann", paid)));
    assertRefused(
        ErrorCode.CONFLICT,
        () -> await(ask(Addresses.REFUND_ORDER, new OrderRefund(id(open), "op"))));
    // Nobody knows how it was paid.
    assertRefused(
        ErrorCode.CONFLICT,
        () -> await(ask(Addresses.REFUND_ORDER, new OrderRefund(id(paid), "op"))));
    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isZero();
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE status = 'PAID'")).isEqualTo(1);
    assertClean();
  }

  @Test
  void refundShouldGiveMoneyAndUnitsBackAndSayTheSameAgain() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    consume();
    awaitStored(1);
    await(
        bed.database()
            .inTransaction(
                connection ->
                    OrderLifeCycle.pay(connection, WinId.of(REGION, 0, win.epoch(), win.seq()))));
    bed.query(
        "INSERT INTO payments (payment_id, region, shard, epoch, seq, amount_minor, currency,"
            + " state, provider_ref, told_minor, told_currency, created_at_ms, ask_at_ms,"
            + " done_at_ms) SELECT 'p', region, shard, epoch, seq, total_minor, currency, 'PAID',"
            + " '', 0, '', 0, 0, 0 FROM orders");
    assertClean();

    OrderViews first = await(ask(Addresses.REFUND_ORDER, new OrderRefund(id(win), "op")));
    OrderViews second = await(ask(Addresses.REFUND_ORDER, new OrderRefund(id(win), "op")));

    assertThat(first.orders().get(0).status()).isEqualTo(OrderStatus.REFUND_PENDING);
    assertThat(second).isEqualTo(first);
    assertThat(bed.number("SELECT COUNT(*) FROM refunds WHERE state = 'PENDING'")).isEqualTo(1);
    assertThat(noted()).containsExactly("op REFUND_ORDER " + id(win));
    assertRefused(ErrorCode.CONFLICT, () -> cancel(byUser("ann", win)));
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertClean();
  }

  @Test
  void OL_04_unitsShouldComeBackOnceWhenEverybodyEndsTheSameOrders() throws InterruptedException {
    int orders = 100;
    List<EntryId> wins = new ArrayList<>();
    for (int i = 0; i < orders; i++) {
      wins.add(shop.win("u" + i, 1, 1));
    }
    consume();
    awaitStored(orders);
    bed.query("UPDATE orders SET pay_by_ms = 1");

    List<Future<?>> all = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      all.add(bed.vertx().deployVerticle(new OrderTimeouts(bed.config(), bed.metrics())));
    }
    for (int i = 0; i < orders; i++) {
      all.add(ask(Addresses.CANCEL_ORDER, byUser("u" + i, wins.get(i))));
      all.add(ask(Addresses.CANCEL_ORDER, OrderCancel.byAdmin(id(wins.get(i)), "op")));
    }
    await(Future.join(all));
    releaseAll();

    assertThat(bed.number("SELECT COUNT(*) FROM outbox WHERE state = 'DONE'")).isEqualTo(orders);
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE status = 'CANCELLED'"))
        .isEqualTo(orders);
    assertThat(
            bed.registry().get("seckill.orders.ended").counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum())
        .isEqualTo(orders);
    assertThat(told).containsOnly(new ReleasesWaiting(REGION, 0));
    assertThat(stock()).isEqualTo(STOCK);
    assertThat(bed.number("SELECT SUM(units) FROM holdings")).isZero();
    assertClean();
  }

  @Test
  void OL_06_ordersShouldTimeOutByThemselvesAndOnlyThose() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      shop.win("u" + i, 1, 1);
    }
    consume();
    awaitStored(20);
    bed.query("UPDATE orders SET pay_by_ms = 1 WHERE user_id <> 'u3'");
    await(bed.vertx().deployVerticle(new OrderTimeouts(bed.config(), bed.metrics())));

    awaitNumber("they end", "SELECT COUNT(*) FROM orders WHERE reason = 'timeout'", 19);
    releaseAll();

    assertThat(stock()).isEqualTo(STOCK - 1);
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE status = 'PENDING_PAYMENT'"))
        .isEqualTo(1);
    assertClean();
  }

  @Test
  void OL_04_aReleaseShouldBeFinishedAfterACrashAtEachStep() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    String consumer =
        await(
            bed.vertx()
                .deployVerticle(new LogConsumerVerticle(bed.config(), bed.metrics(), List.of(0))));
    awaitStored(1);
    await(bed.vertx().undeploy(consumer));
    cancel(byUser("ann", win));

    // Nobody was told: whoever asks learns of it, as often as he asks.
    Releases.Release release = waiting().get(0);
    assertThat(waiting()).containsExactly(release);
    // Redis has done it, the entry is not stored: it is still told, and done once.
    assertThat(release(release).status()).isEqualTo(StepResult.Status.OK);
    assertThat(waiting()).containsExactly(release);
    assertThat(release(release).status()).isEqualTo(StepResult.Status.ALREADY);
    assertThat(bed.number("SELECT held_units FROM orders")).isEqualTo(1);

    // A consumer that dies after reading leaves it to the next.
    shop.readAs(0, "dead");
    consume();
    awaitNumber("it is stored", "SELECT COUNT(*) FROM outbox WHERE state = 'DONE'", 1);
    assertThat(waiting()).isEmpty();
    assertThat(stock()).isEqualTo(STOCK);
    assertThat(bed.number("SELECT held_units FROM orders")).isZero();
    assertClean();
  }

  @Test
  void OL_08_aBuyerShouldBuyAgainAfterEachCancel() throws InterruptedException {
    consume();
    List<EntryId> wins = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      EntryId win = shop.win("ann", 1, 1);
      wins.add(win);
      awaitStored(round + 1);
      assertThat(cancel(byUser("ann", win)).status()).isEqualTo(OrderStatus.CANCELLED);
      // Held until the release: the same purchase is the same order.
      DecidePurchases.Decision again = shop.buy("ann", 1, 1);
      assertThat(again.status()).isEqualTo(PurchaseStatus.REPLAY);
      assertThat(again.entry()).isEqualTo(win);
      assertThat(release(waiting().get(0)).status()).isEqualTo(StepResult.Status.OK);
    }

    releaseAll();
    assertThat(wins).doesNotHaveDuplicates();
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isEqualTo(ROUNDS);
    assertThat(bed.number("SELECT SUM(held_units) FROM orders")).isZero();
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
    assertThat(stock()).isEqualTo(STOCK);
    assertClean();
  }

  @Test
  void OL_05_payAtExpiryShouldLeaveExactlyOneState() throws InterruptedException {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    List<EntryId> wins = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      wins.add(shop.win("u" + i, 1, 1));
    }
    consume();
    awaitStored(ROUNDS);

    int paid = 0;
    for (EntryId win : wins) {
      bed.query(
          "UPDATE orders SET pay_by_ms = 20 + TIMESTAMPDIFF(MICROSECOND, '1970-01-01',"
              + " UTC_TIMESTAMP(3)) DIV 1000 WHERE epoch = "
              + win.epoch()
              + " AND seq = "
              + win.seq());
      WinId id = WinId.of(REGION, 0, win.epoch(), win.seq());
      Future<Boolean> pay = aroundExpiry(random, connection -> OrderLifeCycle.pay(connection, id));
      Future<List<WinId>> timeOut =
          aroundExpiry(
              random, connection -> OrderLifeCycle.timeOut(connection, 7).map(TimedOut::wins));
      await(Future.join(pay, timeOut));
      assertThat(timeOut.result())
          .as("seed %d", seed)
          .isEqualTo(pay.result() ? List.of() : List.of(id));
      paid += pay.result() ? 1 : 0;
    }
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE status = 'PAID'")).isEqualTo(paid);
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE reason = 'timeout'"))
        .isEqualTo(ROUNDS - paid);
    if (ROUNDS >= ENOUGH_ROUNDS) {
      assertThat(paid).as("seed %d", seed).isBetween(1, ROUNDS - 1);
    }
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK - paid);
    assertClean();
  }

  @Test
  void OL_04_oneOfUserTimeOutAndAdminShouldEndTheOrderWhoeverComesFirst()
      throws InterruptedException {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    List<EntryId> wins = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      wins.add(shop.win("u" + i, 1, 1));
    }
    consume();
    awaitStored(ROUNDS);

    for (int i = 0; i < ROUNDS; i++) {
      EntryId win = wins.get(i);
      String user = "u" + i;
      bed.query(
          "UPDATE orders SET pay_by_ms = 20 + TIMESTAMPDIFF(MICROSECOND, '1970-01-01',"
              + " UTC_TIMESTAMP(3)) DIV 1000 WHERE epoch = "
              + win.epoch()
              + " AND seq = "
              + win.seq());
      Future<OrderViews> byUser =
          aroundExpiry(random).compose(go -> ask(Addresses.CANCEL_ORDER, byUser(user, win)));
      Future<OrderViews> byAdmin =
          aroundExpiry(random)
              .compose(go -> ask(Addresses.CANCEL_ORDER, OrderCancel.byAdmin(id(win), "op")));
      Future<List<WinId>> timeOut =
          aroundExpiry(
              random, connection -> OrderLifeCycle.timeOut(connection, 7).map(TimedOut::wins));
      await(Future.join(byUser, byAdmin, timeOut));
      // Each is told how it ended, and all the same.
      OrderView view = byUser.result().orders().get(0);
      assertThat(view.status()).as("seed %d", seed).isEqualTo(OrderStatus.CANCELLED);
      assertThat(view.reason()).as("seed %d", seed).isIn("user", "admin", "timeout");
      assertThat(byAdmin.result().orders()).as("seed %d", seed).containsExactly(view);
      assertThat(timeOut.result()).hasSize(view.reason().equals("timeout") ? 1 : 0);
    }
    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isEqualTo(ROUNDS);
    if (ROUNDS >= ENOUGH_ROUNDS) {
      assertThat(bed.number("SELECT COUNT(DISTINCT reason) FROM orders"))
          .as("each comes first now and then, seed %d", seed)
          .isEqualTo(3);
    }
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertThat(bed.number("SELECT SUM(units) FROM holdings")).isZero();
    assertClean();
  }

  private <T> Future<T> aroundExpiry(Random random, Function<SqlConnection, Future<T>> change) {
    return aroundExpiry(random).compose(go -> bed.database().inTransactionRepeating(change));
  }

  /** Within 5 ms of the moment 20 ms from now. */
  private Future<?> aroundExpiry(Random random) {
    return bed.vertx().timer(15 + random.nextInt(11));
  }

  @Test
  void DB_08_cancelShouldSayThatItDoesNotKnowWhenMySqlIsAway() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    consume();
    awaitStored(1);
    mysql.refuseConnections();
    mysql.cutConnections();

    assertRefused(ErrorCode.OUTCOME_UNKNOWN, () -> cancel(byUser("ann", win)));

    mysql.heal();
    Await.until(
        ConsumerBed.BOUND,
        "it is cancelled at last",
        () ->
            await(
                this.<OrderViews>ask(Addresses.CANCEL_ORDER, byUser("ann", win))
                    .map(done -> true)
                    .otherwise(false)));
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertClean();
  }

  @Test
  void auditShouldFindUnitsThatNobodyGivesBack() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 1);
    consume();
    awaitStored(1);
    cancel(byUser("ann", win));
    assertClean();

    bed.query("DELETE FROM outbox");
    AuditReport report =
        await(this.<AuditReport>ask(Addresses.AUDIT, new AuditRequest(null, 10_000)));

    assertThat(report.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.promise()).isEqualTo("I4");
              assertThat(finding.amount()).isEqualTo(1);
              assertThat(finding.detail()).contains("nobody gives back");
            });
  }
}

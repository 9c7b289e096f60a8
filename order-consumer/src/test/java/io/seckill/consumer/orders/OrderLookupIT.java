package io.seckill.consumer.orders;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.consumer.log.LogConsumerVerticle;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a buyer is told of his order, over the bus, at every stage of its way. */
class OrderLookupIT {

  private EmbeddedRedis redis;
  private FaultProxy mysql;
  private ConsumerBed bed;
  private Shop shop;
  private OrderIds ids;

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
                "500"));
    shop = new Shop(bed, redis).open();
    ids = new OrderIds(HexFormat.of().parseHex(bed.config().orderId().key().value()));
    await(bed.vertx().deployVerticle(new OrdersVerticle(bed.config(), bed.metrics())));
    shop.sell(1, 5, 100);
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

  private void awaitStored(long orders) throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        orders + " orders are stored",
        () -> bed.number("SELECT COUNT(*) FROM orders") == orders);
  }

  private OrderId id(EntryId win) {
    return ids.seal(WinId.of(REGION, 0, win.epoch(), win.seq()));
  }

  private OrderView one(String user, OrderId id) {
    return request(Addresses.ORDER, new OrderQuery(new UserId(user), id)).orders().get(0);
  }

  private OrderViews request(String address, Record question) {
    Future<Message<OrderViews>> reply =
        bed.vertx()
            .eventBus()
            .request(address, question, new DeliveryOptions().setSendTimeout(20_000));
    return await(
            reply.recover(
                failure ->
                    Future.failedFuture(BusFailures.translate(failure, ErrorCode.UNAVAILABLE))))
        .body();
  }

  private static void assertRefused(ErrorCode code, Runnable step) {
    assertThatThrownBy(step::run)
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  @Test
  void OL_03_orderShouldBeAcceptedWhenItsWinIsOneOfABatch() throws InterruptedException {
    EntryId last =
        shop.writeWins(
            0, List.of(Shop.record("ann", 1), Shop.record("bob", 1), Shop.record("eve", 1)));
    EntryId first = new EntryId(last.epoch(), last.seq() - 2);

    Await.until(
        ConsumerBed.BOUND,
        "the log is read, lines and all",
        () -> !one("ann", id(first)).lines().isEmpty());
    assertThat(one("eve", id(last)).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertThat(one("eve", id(last)).totalMinor()).isEqualTo(9_900);
    assertRefused(ErrorCode.NOT_FOUND, () -> one("bob", id(first)));

    consume();
    awaitStored(3);
    assertThat(one("ann", id(first)).status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
  }

  @Test
  void OL_03_orderOfWhoWaitedShouldSaySoFromTheBeginning() throws InterruptedException {
    shop.sell(2, 1, 1);
    EntryId sold = shop.win("ann", 2, 1);
    shop.join("bob", 2);
    shop.release("ann", 2, sold);
    // A click without a key tells which win it was.
    OrderId promoted = id(shop.buy("bob", 2, 1).entry());
    Await.until(
        ConsumerBed.BOUND, "the log is read", () -> !one("bob", promoted).lines().isEmpty());
    assertThat(one("bob", promoted).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertThat(one("bob", promoted).promoted()).isTrue();
    assertThat(one("ann", id(sold)).promoted()).isFalse();

    consume();
    awaitStored(2);

    assertThat(one("bob", promoted).status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
    assertThat(one("bob", promoted).promoted()).isTrue();
    OrdersQuery page = new OrdersQuery(new UserId("bob"), 10, null);
    assertThat(request(Addresses.ORDERS, page).orders()).allMatch(OrderView::promoted);
    OrdersChangedQuery changed =
        new OrdersChangedQuery(List.of(new UserId("bob"), new UserId("eve")), 0);
    OrderEvents events =
        await(bed.vertx().eventBus().<OrderEvents>request(Addresses.ORDERS_CHANGED, changed))
            .body();
    assertThat(events.events())
        .extracting(event -> event.orderId() + " " + event.status() + " " + event.promoted())
        .containsExactly(promoted + " PENDING_PAYMENT true");
  }

  @Test
  void OL_03_orderShouldBeAcceptedUntilItIsStoredAndNeverMissing() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 2);

    Await.until(
        ConsumerBed.BOUND,
        "the log is read, lines and all",
        () -> !one("ann", id(win)).lines().isEmpty());
    assertThat(one("ann", id(win)).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertThat(one("ann", id(win)).totalMinor()).isEqualTo(19_800);

    consume();
    awaitStored(1);
    OrderView stored = one("ann", id(win));
    assertThat(stored.status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
    assertThat(stored.lines()).hasSize(1);
    assertThat(stored.payByMs()).isGreaterThan(stored.wonAtMs());
  }

  @Test
  void AU_04_orderShouldNotBeFoundWhenItIsAnothers() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 2);
    Await.until(ConsumerBed.BOUND, "the log is read", () -> !one("ann", id(win)).lines().isEmpty());

    assertRefused(ErrorCode.NOT_FOUND, () -> one("eve", id(win)));
    consume();
    awaitStored(1);
    assertRefused(ErrorCode.NOT_FOUND, () -> one("eve", id(win)));
    assertRefused(ErrorCode.NOT_FOUND, () -> one("ann", new OrderId("00000000000000000000000000")));
  }

  @Test
  void orderShouldBeLostWhenItsEpochEndedBeforeIt() {
    bed.openShard(0, shop.epoch(0), 4);

    OrderView view = one("ann", id(new EntryId(shop.epoch(0), 5)));

    assertThat(view.status()).isEqualTo(OrderStatus.FAILED);
    assertThat(view.reason()).isEqualTo("LOST");
    assertThat(one("ann", id(new EntryId(shop.epoch(0), 4))).status())
        .isEqualTo(OrderStatus.ACCEPTED);
  }

  @Test
  void orderShouldStayAcceptedWhileItsDeadLetterIsOpen() throws InterruptedException {
    bed.query("UPDATE items SET units_in = 0");
    EntryId win = shop.win("ann", 1, 2);
    consume();
    Await.until(
        ConsumerBed.BOUND,
        "the letter is there",
        () -> bed.number("SELECT COUNT(*) FROM dead_letters") == 1);

    assertThat(one("ann", id(win)).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertRefused(ErrorCode.NOT_FOUND, () -> one("eve", id(win)));
  }

  @Test
  void DB_08_orderShouldBeToldFromTheLogWhenMySqlIsAway() throws InterruptedException {
    EntryId win = shop.win("ann", 1, 2);
    Await.until(ConsumerBed.BOUND, "the log is read", () -> !one("ann", id(win)).lines().isEmpty());
    mysql.refuseConnections();
    mysql.cutConnections();

    assertThat(one("ann", id(win)).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertRefused(ErrorCode.UNAVAILABLE, () -> one("ann", id(new EntryId(shop.epoch(0), 900))));
  }

  @Test
  void ordersShouldComeInPagesNewestFirst() throws InterruptedException {
    List<EntryId> wins = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      wins.add(buyAgain());
    }
    consume();
    awaitStored(5);

    OrderViews first = request(Addresses.ORDERS, new OrdersQuery(new UserId("ann"), 3, null));
    OrderViews second =
        request(
            Addresses.ORDERS,
            new OrdersQuery(new UserId("ann"), 3, first.orders().get(2).orderId()));

    assertThat(first.more()).isTrue();
    assertThat(second.more()).isFalse();
    List<OrderId> all = new ArrayList<>();
    first.orders().forEach(order -> all.add(order.orderId()));
    second.orders().forEach(order -> all.add(order.orderId()));
    assertThat(all)
        .containsExactly(
            id(wins.get(4)), id(wins.get(3)), id(wins.get(2)), id(wins.get(1)), id(wins.get(0)));
    assertThat(request(Addresses.ORDERS, new OrdersQuery(new UserId("eve"), 3, null)).orders())
        .isEmpty();
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () -> request(Addresses.ORDERS, new OrdersQuery(new UserId("eve"), 0, null)));
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () ->
            request(
                Addresses.ORDERS,
                new OrdersQuery(new UserId("eve"), 3, first.orders().get(2).orderId())));
  }

  /** Buys one unit and gives it back, so that the same keyless purchase wins again. */
  private EntryId buyAgain() {
    EntryId win = shop.win("ann", 1, 1);
    shop.release("ann", 1, win);
    return win;
  }
}

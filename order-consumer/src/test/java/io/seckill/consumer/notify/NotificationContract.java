package io.seckill.consumer.notify;

import static io.seckill.consumer.ConsumerBed.BOUND;
import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.NotificationRetry;
import io.seckill.common.bus.Notifications;
import io.seckill.common.bus.NotificationsQuery;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.NotificationState;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Entries;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Received;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.MySqlAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What being told of orders promises, over real HTTP and the bus, on every database. */
abstract class NotificationContract {

  private static final ShardRef SHARD = new ShardRef(REGION, 0);

  private static final long CALL_TIMEOUT_MS = 400;

  /** Users of the race: more in the long run, and no more than a minute of them. */
  private static final int USERS = Math.min(20 * Integer.getInteger("rounds", 10), 1_000);

  /** Transactions at once: what is begun waits in the pool's bounded queue. */
  private static final int WAVE = 20;

  private MySqlAddress address;
  private ConsumerBed bed;
  private ScriptedReceiver receiver;
  private NotificationMetrics metrics;
  private LogStore store;
  private long epoch;

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeEach
  void newAddress() {
    address = newDatabase();
  }

  @AfterEach
  void close() {
    bed.close();
    receiver.close();
  }

  private void open(ScriptedReceiver.Script script, String maxTries) {
    open(new ScriptedReceiver(script), maxTries);
  }

  private void open(ScriptedReceiver told, String maxTries) {
    receiver = told;
    bed = ConsumerBed.on(address, overrides(receiver.url(), maxTries));
    metrics = new NotificationMetrics(bed.registry());
    store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(200));
    bed.preheat(1, 3, 10_000);
    epoch = bed.openShard(0, 0, 0);
    save(Entries.unitsIn(epoch, 1, 1, 10_000));
  }

  private static Map<String, String> overrides(String url, String maxTries) {
    return Map.of(
        "notification.webhookUrl",
        url,
        "notification.secret",
        url.isEmpty() ? "" : ScriptedReceiver.SECRET,
        "notification.intervalMs",
        "50",
        "notification.maxTries",
        maxTries,
        "notification.callTimeoutMs",
        Long.toString(CALL_TIMEOUT_MS));
  }

  private String deploy() {
    return await(bed.vertx().deployVerticle(new NotificationVerticle(bed.config(), metrics)));
  }

  private void save(Received... entries) {
    save(List.of(entries));
  }

  private void save(List<Received> entries) {
    for (List<Received> run : Entries.runs(entries)) {
      await(store.store(SHARD, run));
    }
  }

  /** Has it told that a user's orders became something, in a transaction of their own. */
  private void tell(String user, OrderStatus... became) {
    await(telling(user, became));
  }

  private Future<Void> telling(String user, OrderStatus... became) {
    List<OrderEvent> events = new ArrayList<>();
    for (OrderStatus status : became) {
      WinId win = WinId.of(REGION, 0, 1, 1);
      events.add(bed.news().event(win, new UserId(user), status, "", false));
    }
    return bed.news()
        .inTransaction(
            bed.database(),
            connection -> Future.succeededFuture(new OrderNews.Told<>(null, events)));
  }

  private void awaitDone(int notifications) throws InterruptedException {
    awaitCount("state = 'DONE'", notifications);
  }

  private void awaitCount(String where, int notifications) throws InterruptedException {
    Await.until(BOUND, notifications + " have " + where, () -> count(where) == notifications);
  }

  private long count(String where) {
    return bed.number("SELECT COUNT(*) FROM notifications WHERE " + where);
  }

  private boolean isWritten(OrderEvent event) {
    return count("user_id = '" + event.user() + "' AND status = '" + event.status() + "'") == 1;
  }

  /** Every first acceptance of a user's notifications in the order of their ids, none left out. */
  private void assertInOrder(int notifications) {
    Map<String, Long> last = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (ScriptedReceiver.Call call : receiver.accepted()) {
      if (seen.add(call.id())) {
        long id = Long.parseLong(call.id());
        assertThat(last.getOrDefault(call.user(), 0L)).isLessThan(id);
        last.put(call.user(), id);
      }
    }
    assertThat(seen).hasSize(notifications);
    assertThat(receiver.overlaps()).as("two of one user at a time").isZero();
  }

  private Notifications list(NotificationState state, long after, int limit) {
    return await(ask(Addresses.NOTIFICATIONS, new NotificationsQuery(state, after, limit)));
  }

  private <A> Future<A> ask(String asked, Record question) {
    Future<Message<A>> reply = bed.vertx().eventBus().request(asked, question);
    return reply
        .map(Message::body)
        .recover(
            failure -> Future.failedFuture(BusFailures.translate(failure, ErrorCode.UNAVAILABLE)));
  }

  private void assertRefused(ErrorCode code, long id) {
    assertThatThrownBy(() -> await(ask(Addresses.RETRY_NOTIFICATION, new NotificationRetry(id))))
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  @Test
  void everyStoredOrderShouldBeToldOnceSigned() throws Exception {
    open(ScriptedReceiver.willing(), "12");
    deploy();

    save(Entries.win(epoch, 2, "ann", 1, 3), Entries.promotion(epoch, 3, "bob", 2, 3));
    save(Entries.win(epoch, 2, "ann", 1, 3), Entries.promotion(epoch, 3, "bob", 2, 3));

    awaitDone(2);
    assertThat(count("state <> 'DONE'")).isZero();
    List<ScriptedReceiver.Call> told = receiver.accepted();
    assertThat(told)
        .extracting(ScriptedReceiver.Call::user)
        .containsExactlyInAnyOrder("ann", "bob");
    ScriptedReceiver.Call ann =
        told.stream().filter(call -> call.user().equals("ann")).findFirst().orElseThrow();
    assertThat(ann.body().fieldNames())
        .containsExactly("id", "kind", "at", "user", "orderId", "status", "reason", "promoted");
    assertThat(ann.body().getString("kind")).isEqualTo("order.pending");
    assertThat(ann.body().getString("status")).isEqualTo("PENDING_PAYMENT");
    assertThat(ann.body().getString("orderId"))
        .isEqualTo(
            bed.news()
                .event(
                    WinId.of(REGION, 0, epoch, 2), new UserId("ann"), OrderStatus.PAID, "", false)
                .orderId()
                .value());
    assertThat(told)
        .extracting(call -> call.body().getBoolean("promoted"))
        .containsExactlyInAnyOrder(false, true);
  }

  @Test
  void withoutAReceiverNothingShouldBeWritten() {
    receiver = ScriptedReceiver.willing();
    bed = ConsumerBed.on(address, overrides("", "12"));
    metrics = new NotificationMetrics(bed.registry());
    deploy();

    tell("ann", OrderStatus.PENDING_PAYMENT);

    assertThat(count("1 = 1")).isZero();
    assertRefused(ErrorCode.CONFLICT, 1);
  }

  @Test
  void aUsersNotificationsShouldWaitForEachOtherAndNobodyElseForThem() throws Exception {
    open((told, tries) -> told.getString("user").equals("ann") && tries <= 2 ? 500 : 200, "12");
    tell("ann", OrderStatus.PENDING_PAYMENT, OrderStatus.PAID);
    tell("ann", OrderStatus.REFUND_PENDING);
    deploy();
    for (int i = 0; i < 50; i++) {
      tell("u" + i, OrderStatus.PENDING_PAYMENT, OrderStatus.CANCELLED);
    }

    Await.until(BOUND, "the others are told", () -> count("state = 'DONE'") >= 100);
    assertThat(receiver.accepted()).extracting(ScriptedReceiver.Call::user).doesNotContain("ann");
    awaitDone(103);
    assertInOrder(103);
    assertThat(receiver.calls().stream().filter(call -> call.user().equals("ann")))
        .extracting(call -> call.body().getString("kind") + " " + call.status())
        .containsExactly(
            "order.pending 500",
            "order.pending 500",
            "order.pending 200",
            "order.paid 500",
            "order.paid 500",
            "order.paid 200",
            "order.refund_pending 500",
            "order.refund_pending 500",
            "order.refund_pending 200");
  }

  @Test
  void whatFailsTooOftenShouldDieAfterLongerAndLongerPausesAndLetTheNextGo() throws Exception {
    Map<String, Integer> answers = new ConcurrentHashMap<>(Map.of("order.paid", 500));
    open((told, tries) -> answers.getOrDefault(told.getString("kind"), 200), "3");
    deploy();
    tell("ann", OrderStatus.PENDING_PAYMENT, OrderStatus.PAID, OrderStatus.REFUND_PENDING);

    awaitCount("state = 'DEAD'", 1);
    awaitDone(2);
    List<ScriptedReceiver.Call> failed =
        receiver.calls().stream().filter(call -> !call.isAccepted()).toList();
    assertThat(failed).hasSize(3);
    assertThat(failed.get(1).atMs() - failed.get(0).atMs()).isGreaterThanOrEqualTo(990);
    assertThat(failed.get(2).atMs() - failed.get(1).atMs()).isGreaterThanOrEqualTo(1_990);
    Notifications dead = list(NotificationState.DEAD, 0, 10);
    assertThat(dead.notifications()).hasSize(1);
    Notifications.Notification one = dead.notifications().get(0);
    assertThat(one.tries()).isEqualTo(3);
    assertThat(one.failure()).isEqualTo("HTTP 500");
    assertThat(one.event().status()).isEqualTo(OrderStatus.PAID);

    answers.clear();
    assertRefused(ErrorCode.NOT_FOUND, one.id() + 100);
    assertRefused(ErrorCode.CONFLICT, one.id() - 1);
    await(ask(Addresses.RETRY_NOTIFICATION, new NotificationRetry(one.id())));
    await(ask(Addresses.RETRY_NOTIFICATION, new NotificationRetry(one.id())));
    tell("ann", OrderStatus.REFUNDED);
    awaitDone(4);
    assertRefused(ErrorCode.CONFLICT, one.id());
    assertThat(receiver.accepted())
        .extracting(call -> call.body().getString("kind"))
        .containsExactly("order.pending", "order.refund_pending", "order.paid", "order.refunded");
    assertThat(list(NotificationState.DONE, 0, 3).more()).isTrue();
    assertThat(list(NotificationState.DONE, 0, 4).more()).isFalse();
    assertThat(list(NotificationState.DEAD, 0, 4).notifications()).isEmpty();
  }

  @Test
  void nothingShouldBeLostWhenTheReceiverGoesAndComes() throws Exception {
    open(ScriptedReceiver.willing(), "12");
    int port = receiver.port();
    deploy();
    tell("ann", OrderStatus.PENDING_PAYMENT);
    awaitDone(1);

    receiver.disappear();
    for (int i = 0; i < 100; i++) {
      tell("u" + i % 20, OrderStatus.PENDING_PAYMENT);
    }
    Await.until(BOUND, "some were tried", () -> count("failure <> ''") > 10);
    receiver.appear(port);

    awaitDone(101);
    assertInOrder(101);
  }

  @Test
  void aReceiverThatDoesNotAnswerShouldHoldUpNobodyElse() throws Exception {
    Set<String> silent = ConcurrentHashMap.newKeySet();
    silent.add("slow");
    open(
        (told, tries) -> silent.contains(told.getString("user")) ? ScriptedReceiver.SILENCE : 200,
        "12");
    deploy();
    tell("slow", OrderStatus.PENDING_PAYMENT, OrderStatus.PAID);
    for (int i = 0; i < 200; i++) {
      tell("u" + i, OrderStatus.PENDING_PAYMENT);
    }

    awaitDone(200);
    assertThat(count("state = 'PENDING' AND user_id = 'slow'")).isEqualTo(2);
    Await.until(BOUND, "it was tried", () -> count("failure <> ''") == 1);
    silent.clear();
    awaitDone(202);
    assertInOrder(202);
  }

  @Test
  void aCrashBetweenCallAndRowShouldTellItAgainUnderTheSameId() throws Exception {
    AtomicReference<FaultProxy> way = new AtomicReference<>();
    open(
        (told, tries) -> {
          FaultProxy cut = way.getAndSet(null);
          if (cut != null) {
            // The worker will hear that this was taken, and can write it nowhere.
            cut.refuseConnections();
            cut.cutConnections();
          }
          return 200;
        },
        "12");
    tell("ann", OrderStatus.PENDING_PAYMENT, OrderStatus.PAID);
    Vertx dying = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setUseDaemonThread(true));
    BusCodecs.register(dying.eventBus());
    try (FaultProxy between = FaultProxy.before(address.host(), address.port())) {
      way.set(between);
      SeckillConfig config =
          ConsumerBed.config(
              new MySqlAddress(
                  between.host(),
                  between.port(),
                  address.database(),
                  address.user(),
                  address.password()),
              overrides(receiver.url(), "12"));
      await(dying.deployVerticle(new NotificationVerticle(config, metrics)));
      Await.until(BOUND, "it was told", () -> receiver.accepted().size() == 1);
      await(dying.close());
    }
    assertThat(count("state = 'PENDING'")).isEqualTo(2);

    deploy();

    awaitDone(2);
    assertThat(receiver.accepted())
        .extracting(call -> call.body().getString("kind"))
        .containsExactly("order.pending", "order.pending", "order.paid");
    assertInOrder(2);
  }

  @Test
  void workersShouldNeverReorderAUsersNotifications() throws Exception {
    long seed = Long.getLong("seed", ThreadLocalRandom.current().nextLong());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    open((told, tries) -> ThreadLocalRandom.current().nextInt(20) == 0 ? 503 : 200, "50");
    for (int worker = 0; worker < 4; worker++) {
      deploy();
    }
    OrderStatus[] life = {
      OrderStatus.PENDING_PAYMENT,
      OrderStatus.PAID,
      OrderStatus.REFUND_PENDING,
      OrderStatus.REFUNDED
    };
    for (OrderStatus status : life) {
      List<Future<?>> written = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        boolean twice = random.nextInt(4) == 0;
        written.add(twice ? telling("u" + user, status, status) : telling("u" + user, status));
        if (written.size() == WAVE || user == USERS - 1) {
          await(Future.all(written));
          written.clear();
        }
      }
    }

    int all = (int) count("1 = 1");
    awaitDone(all);
    assertInOrder(all);
  }

  @Test
  void whatWasTakenLongAgoShouldBeForgotten() throws Exception {
    open(ScriptedReceiver.willing(), "12");
    deploy();
    tell("ann", OrderStatus.PENDING_PAYMENT);
    tell("bob", OrderStatus.PENDING_PAYMENT);
    awaitDone(2);
    bed.query(
        "INSERT INTO notifications (user_id, order_id, status, reason, promoted, state, tries,"
            + " failure, next_at_ms, created_at_ms) VALUES ('cat', '"
            + "0".repeat(26)
            + "', 'PAID', '', 0, 'DEAD', 3, 'HTTP 500', 1, 1)");
    bed.query("UPDATE notifications SET next_at_ms = 1 WHERE user_id = 'bob'");

    awaitDone(1);
    assertThat(count("user_id IN ('ann', 'cat')")).isEqualTo(2);
    Await.until(
        BOUND,
        "the dead one is counted",
        () -> bed.registry().get("seckill.notifications.dead").gauge().value() == 1);
  }

  @Test
  void whatIsPublishedShouldBeCommittedAndWhatIsRefusedShouldNotBePublished() throws Exception {
    open(ScriptedReceiver.willing(), "12");
    List<String> published = new CopyOnWriteArrayList<>();
    List<String> seen = new CopyOnWriteArrayList<>();
    bed.vertx()
        .eventBus()
        .<OrderEvents>consumer(
            Addresses.ORDER_EVENTS,
            message -> {
              for (OrderEvent event : message.body().events()) {
                String what = event.user() + " " + event.status();
                published.add(what);
                bed.vertx().executeBlocking(() -> seen.add(what + " " + isWritten(event)));
              }
            });

    // ann may hold 3: the batch is refused, halved, and her second win buried.
    save(
        Entries.win(epoch, 2, "ann", 3, 3),
        Entries.win(epoch, 3, "bob", 1, 3),
        Entries.win(epoch, 4, "ann", 1, 3),
        Entries.win(epoch, 5, "cat", 1, 3));
    save(Entries.release(epoch, 6, "bob", epoch + "-3", 1, true));
    save(Entries.wins(epoch, 7, 1, "dan"));

    Await.until(BOUND, "all is published", () -> published.size() == 5);
    assertThat(published)
        .containsExactly(
            "ann PENDING_PAYMENT",
            "bob PENDING_PAYMENT",
            "cat PENDING_PAYMENT",
            "bob CANCELLED",
            "dan7 PENDING_PAYMENT");
    Await.until(BOUND, "all is looked up", () -> seen.size() == 5);
    assertThat(seen).allMatch(what -> what.endsWith("true"));
    assertThat(count("state = 'PENDING'")).isEqualTo(5);
  }
}

package io.seckill.consumer.payment;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.bus.PaymentStart;
import io.seckill.common.bus.PaymentStarted;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.orders.OrderTimeouts;
import io.seckill.consumer.orders.OrdersVerticle;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Entries;
import io.seckill.consumer.store.LogStore;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.Stalls;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What paying promises, over the bus and a provider's HTTP, on every database. */
abstract class PaymentContract {

  private static final ShardRef SHARD = new ShardRef(REGION, 0);

  /** Orders of a race: more in the long run, and no more than a minute of them. */
  private static final int ROUNDS = Math.min(Integer.getInteger("rounds", 10), 1_000);

  /** After so many rounds each end of a race must have been seen. */
  private static final int ENOUGH_ROUNDS = 100;

  private static final long PRICE = 9_900;

  private static EmbeddedRedis redis;

  private ScriptedProvider provider;
  private ConsumerBed bed;
  private PaymentMetrics metrics;
  private LogStore store;
  private OrderIds ids;
  private long epoch;
  private long lastSeq = 1;

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeAll
  static void startRedis() {
    redis = TestRedis.start();
  }

  @AfterAll
  static void stopRedis() {
    if (redis != null) {
      redis.close();
    }
  }

  @BeforeEach
  void open() {
    provider = new ScriptedProvider();
    bed =
        ConsumerBed.on(
            newDatabase(),
            Map.of(
                "redis.uri",
                redis.uri(),
                "payment.provider",
                "sandbox",
                "payment.secret",
                ScriptedProvider.SECRET,
                "payment.sandboxUrl",
                provider.url(),
                // The first call of a JVM may take long.
                "payment.callTimeoutMs",
                "3000",
                "payment.refundIntervalMs",
                "50",
                "payment.reconcileAfterMs",
                "300",
                // Nobody is called there: what is to be told is read from its table.
                "notification.webhookUrl",
                provider.url(),
                "notification.secret",
                ScriptedProvider.SECRET));
    store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(200));
    ids = new OrderIds(HexFormat.of().parseHex(bed.config().orderId().key().value()));
    bed.preheat(1, 3, 10_000);
    epoch = bed.openShard(0, 0, 0);
    await(store.store(SHARD, List.of(Entries.unitsIn(epoch, 1, 1, 10_000))));
    await(bed.vertx().deployVerticle(new OrdersVerticle(bed.config(), bed.metrics())));
    metrics = new PaymentMetrics(bed.registry());
    deploy();
  }

  private void deploy() {
    await(bed.vertx().deployVerticle(new PaymentVerticle(bed.config(), metrics)));
  }

  @AfterEach
  void close() {
    bed.close();
    provider.close();
  }

  /** An order of one unit that waits for its money. */
  private OrderId order(String user) {
    lastSeq++;
    await(store.store(SHARD, List.of(Entries.win(epoch, lastSeq, user, 1, 3))));
    return id(lastSeq);
  }

  private OrderId id(long seq) {
    return ids.seal(WinId.of(REGION, 0, epoch, seq));
  }

  private <A> Future<A> ask(String address, Record question) {
    Future<Message<A>> reply =
        bed.vertx()
            .eventBus()
            .request(address, question, new DeliveryOptions().setSendTimeout(20_000));
    return reply
        .map(Message::body)
        .recover(
            failure -> Future.failedFuture(BusFailures.translate(failure, ErrorCode.UNAVAILABLE)));
  }

  private Future<PaymentStarted> starting(String user, OrderId order) {
    return ask(Addresses.START_PAYMENT, new PaymentStart(new UserId(user), order));
  }

  private PaymentStarted start(String user, OrderId order) {
    return await(starting(user, order));
  }

  private Future<Done> telling(PaymentNotice notice) {
    return ask(Addresses.PAYMENT_NOTICE, notice);
  }

  private void tell(PaymentNotice notice) {
    await(telling(notice));
  }

  private static PaymentNotice paid(String payment, OrderId order) {
    return new PaymentNotice(payment, order, PaymentNotice.Status.PAID, PRICE, "CNY", "r");
  }

  private static PaymentNotice failed(String payment, OrderId order) {
    return new PaymentNotice(payment, order, PaymentNotice.Status.FAILED, PRICE, "CNY", "r");
  }

  private Future<OrderViews> cancelling(String user, OrderId order) {
    return ask(Addresses.CANCEL_ORDER, OrderCancel.byUser(new UserId(user), order));
  }

  private static void assertRefused(ErrorCode code, Future<?> answer) {
    assertThatThrownBy(() -> await(answer))
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  private String text(String sql) {
    return bed.query(sql).get(0).getString(0);
  }

  private String status(long seq) {
    return text("SELECT status FROM orders WHERE seq = " + seq);
  }

  private String state(String payment) {
    return text("SELECT state FROM payments WHERE payment_id = '" + payment + "'");
  }

  private long refunds(String where) {
    return bed.number("SELECT COUNT(*) FROM refunds WHERE " + where);
  }

  private void until(String what, String sql, long wanted) throws InterruptedException {
    Await.until(ConsumerBed.BOUND, what, () -> bed.number(sql) == wanted);
  }

  // ---- opening ----

  @Test
  void startShouldGiveTheSamePaymentWhileItIsOpen() {
    OrderId order = order("ann");

    PaymentStarted first = start("ann", order);
    PaymentStarted again = start("ann", order);

    assertThat(first.created()).isTrue();
    assertThat(first.amountMinor()).isEqualTo(PRICE);
    assertThat(first.currency()).isEqualTo("CNY");
    assertThat(first.redirectUrl()).isEqualTo(provider.url() + "/pay/" + first.paymentId());
    assertThat(first.payByMs()).isEqualTo(bed.number("SELECT pay_by_ms FROM orders"));
    assertThat(again.created()).isFalse();
    assertThat(again.paymentId()).isEqualTo(first.paymentId());
    assertThat(provider.asked("start")).containsExactly(first.paymentId(), first.paymentId());
    assertThat(bed.number("SELECT COUNT(*) FROM payments")).isEqualTo(1);
  }

  @Test
  void startShouldOpenOnePaymentWhenManyAskAtOnce() {
    OrderId order = order("ann");
    List<Future<PaymentStarted>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(starting("ann", order));
    }

    List<PaymentStarted> answers = all.stream().map(ConsumerBed::await).toList();

    assertThat(answers)
        .extracting(PaymentStarted::paymentId)
        .containsOnly(answers.get(0).paymentId());
    assertThat(answers).filteredOn(PaymentStarted::created).hasSize(1);
    assertThat(bed.number("SELECT COUNT(*) FROM payments")).isEqualTo(1);
  }

  @Test
  void startShouldRefuseWhatCannotBePaid() {
    OrderId order = order("ann");
    assertRefused(ErrorCode.NOT_FOUND, starting("bob", order));
    assertRefused(ErrorCode.NOT_FOUND, starting("ann", new OrderId("0".repeat(26))));
    // Won as far as anybody knows, and not stored yet.
    assertRefused(ErrorCode.BUSY, starting("ann", id(lastSeq + 1)));

    await(cancelling("ann", order));

    assertRefused(ErrorCode.CONFLICT, starting("ann", order));
    assertThat(bed.number("SELECT COUNT(*) FROM payments")).isZero();
  }

  @Test
  void startShouldBeUnavailableWhileTheProviderIsAwayAndGoOnAfterwards() {
    OrderId order = order("ann");
    provider.refuse(1);

    assertRefused(ErrorCode.UNAVAILABLE, starting("ann", order));

    assertThat(start("ann", order).paymentId()).isEqualTo(text("SELECT payment_id FROM payments"));
  }

  // ---- notices ----

  @Test
  void OL_05_noticeShouldPayOnceWhenItIsRepeated() {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();

    tell(paid(payment, order));
    tell(paid(payment, order));
    // An older notice that comes late changes nothing.
    tell(failed(payment, order));

    assertThat(status(lastSeq)).isEqualTo("PAID");
    assertThat(state(payment)).isEqualTo("PAID");
    assertThat(text("SELECT provider_ref FROM payments")).isEqualTo("r");
    assertThat(refunds("1 = 1")).isZero();
    assertRefused(ErrorCode.CONFLICT, starting("ann", order));
    assertThat(
            bed.registry().get("seckill.payment.notices").tag("outcome", "paid").counter().count())
        .isEqualTo(1);
  }

  @Test
  void OL_05_noticeShouldNeverPayWhenAmountOrCurrencyAreWrong() {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    PaymentNotice.Status done = PaymentNotice.Status.PAID;

    assertRefused(
        ErrorCode.CONFLICT, telling(new PaymentNotice(payment, order, done, 1, "CNY", "r")));
    assertRefused(
        ErrorCode.CONFLICT, telling(new PaymentNotice(payment, order, done, PRICE, "USD", "r")));

    assertThat(status(lastSeq)).isEqualTo("PENDING_PAYMENT");
    Row row = bed.query("SELECT state, told_minor, told_currency FROM payments").get(0);
    assertThat(row.getString(0)).isEqualTo("MISMATCH");
    assertThat(row.getLong(1)).isEqualTo(1);
    assertThat(row.getString(2)).isEqualTo("CNY");

    // The provider corrects itself: the money is there.
    tell(paid(payment, order));
    assertThat(status(lastSeq)).isEqualTo("PAID");
    assertRefused(
        ErrorCode.CONFLICT, telling(new PaymentNotice(payment, order, done, 1, "CNY", "r")));
    assertThat(state(payment)).isEqualTo("PAID");
  }

  @Test
  void noticeShouldTakeAFailureWhateverAmountItNames() {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    PaymentNotice.Status failed = PaymentNotice.Status.FAILED;

    tell(new PaymentNotice(payment, order, failed, 0, "", "r"));
    tell(new PaymentNotice(payment, order, failed, 1, "USD", "r"));

    assertThat(state(payment)).isEqualTo("FAILED");
    assertThat(status(lastSeq)).isEqualTo("PENDING_PAYMENT");
    assertThat(start("ann", order).paymentId()).isNotEqualTo(payment);
  }

  @Test
  void noticeShouldNotBeFoundWhenPaymentAndOrderDoNotBelongTogether() {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    OrderId other = order("bob");

    assertRefused(ErrorCode.NOT_FOUND, telling(paid(payment, other)));
    assertRefused(ErrorCode.NOT_FOUND, telling(paid("no-such-payment", order)));
    assertRefused(ErrorCode.NOT_FOUND, telling(paid(payment, new OrderId("0".repeat(26)))));
    assertThat(state(payment)).isEqualTo("OPEN");
  }

  @Test
  void noticeShouldLetTheBuyerTryAgainWhenAPaymentFailedAndGiveASecondMoneyBack()
      throws InterruptedException {
    OrderId order = order("ann");
    String first = start("ann", order).paymentId();
    tell(failed(first, order));
    assertThat(state(first)).isEqualTo("FAILED");
    assertThat(status(lastSeq)).isEqualTo("PENDING_PAYMENT");

    String second = start("ann", order).paymentId();
    assertThat(second).isNotEqualTo(first);
    tell(paid(second, order));
    tell(paid(first, order));

    until("the first payment goes back", "SELECT COUNT(*) FROM refunds WHERE state = 'DONE'", 1);
    assertThat(text("SELECT payment_id FROM refunds")).isEqualTo(first);
    assertThat(provider.asked("refund")).containsOnly(first);
    assertThat(status(lastSeq)).isEqualTo("PAID");
  }

  @Test
  void OL_05_noticeShouldGiveTheMoneyBackWhenTheOrderIsCancelled() throws InterruptedException {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    await(cancelling("ann", order));

    tell(paid(payment, order));
    tell(paid(payment, order));

    assertThat(status(lastSeq)).isEqualTo("CANCELLED");
    until("the money goes back", "SELECT COUNT(*) FROM refunds WHERE state = 'DONE'", 1);
    assertThat(refunds("1 = 1")).isEqualTo(1);
    assertThat(status(lastSeq)).isEqualTo("CANCELLED");
    assertThat(provider.asked("refund")).containsOnly(payment);
  }

  @Test
  void OL_05_noticeAndCancelShouldHaveOneWinnerWhenTheyRace() throws InterruptedException {
    int paidOrders = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String user = "racer" + round;
      OrderId order = order(user);
      String payment = start(user, order).paymentId();

      // Each comes first half the time, by so many milliseconds.
      int aheadMs = round / 2 % 5;
      boolean noticeFirst = round % 2 == 0;
      Future<?> notices =
          after(
              noticeFirst ? 0 : aheadMs,
              () -> Future.join(telling(paid(payment, order)), telling(paid(payment, order))));
      // It may come too late, and says so then.
      Future<?> cancel =
          after(noticeFirst ? aheadMs : 0, () -> cancelling(user, order).otherwiseEmpty());
      await(Future.join(notices, cancel));

      String status = status(lastSeq);
      long lateRefunds = refunds("seq = " + lastSeq);
      long releases = bed.number("SELECT COUNT(*) FROM outbox WHERE seq = " + lastSeq);
      assertThat(state(payment)).isEqualTo("PAID");
      assertThat(List.of(status, lateRefunds, releases))
          .isIn(List.of("PAID", 0L, 0L), List.of("CANCELLED", 1L, 1L));
      paidOrders += status.equals("PAID") ? 1 : 0;
    }
    if (ROUNDS >= ENOUGH_ROUNDS) {
      assertThat(paidOrders).isBetween(1, ROUNDS - 1);
    }
    until("all late money is back", "SELECT COUNT(*) FROM refunds WHERE state = 'PENDING'", 0);
  }

  private <T> Future<T> after(int ms, Supplier<Future<T>> step) {
    return ms == 0 ? step.get() : bed.vertx().timer(ms).compose(go -> step.get());
  }

  // ---- refunds ----

  @Test
  void refundShouldBeTriedUntilTheProviderDoesIt() throws InterruptedException {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    tell(paid(payment, order));
    provider.refuse(2);

    OrderViews refunding = await(ask(Addresses.REFUND_ORDER, new OrderRefund(order, "op")));

    assertThat(refunding.orders().get(0).status().name()).isEqualTo("REFUND_PENDING");
    until("the order is refunded", "SELECT COUNT(*) FROM orders WHERE status = 'REFUNDED'", 1);
    assertThat(provider.asked("refund")).hasSizeGreaterThanOrEqualTo(3).containsOnly(payment);
    assertThat(refunds("state = 'DONE' AND tries >= 3")).isEqualTo(1);
    assertThat(bed.number("SELECT COUNT(*) FROM outbox WHERE state = 'PENDING'")).isEqualTo(1);
  }

  @Test
  void everyChangeOfAnOrderShouldBeToldAndPublishedInTurn() throws InterruptedException {
    List<String> published = new CopyOnWriteArrayList<>();
    bed.vertx()
        .eventBus()
        .<OrderEvents>consumer(
            Addresses.ORDER_EVENTS,
            message ->
                message
                    .body()
                    .events()
                    .forEach(
                        event ->
                            published.add(
                                (event.user() + " " + event.status() + " " + event.reason())
                                    .strip())));
    OrderId paidOne = order("ann");
    String payment = start("ann", paidOne).paymentId();
    tell(paid(payment, paidOne));
    tell(paid(payment, paidOne));
    await(ask(Addresses.REFUND_ORDER, new OrderRefund(paidOne, "op")));
    OrderId late = order("bob");
    String tooLate = start("bob", late).paymentId();
    await(cancelling("bob", late));
    await(cancelling("bob", late));
    tell(paid(tooLate, late));
    order("cat");
    bed.query("UPDATE orders SET pay_by_ms = 1 WHERE user_id = 'cat'");
    await(bed.vertx().deployVerticle(new OrderTimeouts(bed.config(), bed.metrics())));
    until("all money is back", "SELECT COUNT(*) FROM refunds WHERE state = 'DONE'", 2);
    until("cat is told", "SELECT COUNT(*) FROM notifications WHERE user_id = 'cat'", 2);

    assertThat(told("ann"))
        .isEqualTo("PENDING_PAYMENT:,PAID:,REFUND_PENDING:refund,REFUNDED:refund");
    assertThat(told("bob")).isEqualTo("PENDING_PAYMENT:,CANCELLED:user");
    assertThat(told("cat")).isEqualTo("PENDING_PAYMENT:,CANCELLED:timeout");
    Await.until(ConsumerBed.BOUND, "all is published", () -> published.size() == 8);
    assertThat(published)
        .containsSubsequence(
            "ann PENDING_PAYMENT", "ann PAID", "ann REFUND_PENDING refund", "ann REFUNDED refund")
        .containsSubsequence("bob PENDING_PAYMENT", "bob CANCELLED user")
        .containsSubsequence("cat PENDING_PAYMENT", "cat CANCELLED timeout");
  }

  private String told(String user) {
    return text(
        "SELECT GROUP_CONCAT(CONCAT(status, ':', reason) ORDER BY id) FROM notifications WHERE"
            + " user_id = '"
            + user
            + "'");
  }

  @Test
  void refundShouldNotTakeEveryAnswerForMoneyThatIsBack() throws InterruptedException {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    tell(paid(payment, order));
    provider.evade(2);

    await(ask(Addresses.REFUND_ORDER, new OrderRefund(order, "op")));

    until("the order is refunded", "SELECT COUNT(*) FROM orders WHERE status = 'REFUNDED'", 1);
    assertThat(provider.asked("refund")).hasSizeGreaterThanOrEqualTo(3).containsOnly(payment);
    assertThat(refunds("state = 'DONE' AND tries >= 3")).isEqualTo(1);
  }

  @Test
  void refundShouldBeAskedAgainAfterACrashBetweenTheProviderAndMySql() throws InterruptedException {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    tell(paid(payment, order));
    await(ask(Addresses.REFUND_ORDER, new OrderRefund(order, "op")));
    until("the order is refunded", "SELECT COUNT(*) FROM orders WHERE status = 'REFUNDED'", 1);

    // As if the node had died before it could write down what the provider had done.
    bed.query("UPDATE orders SET status = 'REFUND_PENDING'");
    bed.query("UPDATE refunds SET state = 'PENDING', next_at_ms = 0");

    until("it is refunded again", "SELECT COUNT(*) FROM orders WHERE status = 'REFUNDED'", 1);
    assertThat(provider.asked("refund")).containsOnly(payment);
    assertThat(refunds("state = 'DONE'")).isEqualTo(1);
  }

  @Test
  void refundsShouldEachBeAskedOnceWhenTwoNodesWork() throws InterruptedException {
    deploy();
    int many = 60;
    for (int i = 0; i < many; i++) {
      OrderId order = order("late" + i);
      String payment = start("late" + i, order).paymentId();
      await(cancelling("late" + i, order));
      tell(paid(payment, order));
    }

    until("all money is back", "SELECT COUNT(*) FROM refunds WHERE state = 'DONE'", many);
    List<String> asked = provider.asked("refund");
    assertThat(new HashSet<>(asked)).hasSize(many);
    // One that was slow may have been asked twice, which is why it has a key.
    if (Stalls.calm()) {
      assertThat(asked).hasSize(many);
    }
    assertThat(refunds("1 = 1")).isEqualTo(many);
  }

  // ---- reconciliation ----

  @Test
  void reconciliationShouldPayWhenTheCallbackGotLost() throws InterruptedException {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    provider.decide(payment, "PAID");

    until("the order is paid", "SELECT COUNT(*) FROM orders WHERE status = 'PAID'", 1);
    assertThat(state(payment)).isEqualTo("PAID");
    assertThat(text("SELECT provider_ref FROM payments")).isEqualTo("ref-" + payment);
  }

  @Test
  void reconciliationShouldLeaveOpenWhatTheProviderDoesNotKnowAndGiveUpInTheEnd()
      throws InterruptedException {
    OrderId order = order("ann");
    String payment = start("ann", order).paymentId();
    provider.decide(payment, "UNKNOWN");
    Await.until(ConsumerBed.BOUND, "it was asked twice", () -> provider.asked("query").size() >= 2);
    assertThat(state(payment)).isEqualTo("OPEN");

    bed.query("UPDATE payments SET created_at_ms = created_at_ms - 604800000, ask_at_ms = 0");

    until("it is given up", "SELECT COUNT(*) FROM payments WHERE state = 'FAILED'", 1);
    assertThat(status(lastSeq)).isEqualTo("PENDING_PAYMENT");
  }
}

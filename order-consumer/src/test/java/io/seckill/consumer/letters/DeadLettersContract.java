package io.seckill.consumer.letters;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.DeadLetter;
import io.seckill.common.bus.DeadLetterChange;
import io.seckill.common.bus.DeadLetterChange.Action;
import io.seckill.common.bus.DeadLetterQuery;
import io.seckill.common.bus.DeadLetters;
import io.seckill.common.bus.DeadLettersQuery;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.bus.Releases;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.LetterId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.LetterState;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.consumer.audit.AuditVerticle;
import io.seckill.consumer.ledger.LedgerVerticle;
import io.seckill.consumer.log.LogConsumerVerticle;
import io.seckill.consumer.orders.OrdersVerticle;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Letter;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Outcome;
import io.seckill.consumer.store.Received;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What operators do with dead letters, over the bus, beside real scripts: whatever came first, a
 * win ends once, and what it took comes back once.
 */
abstract class DeadLettersContract {

  private static final long STOCK = 100;
  private static final ShardRef SHARD = new ShardRef(REGION, 0);

  private EmbeddedRedis redis;
  private ConsumerBed bed;
  private Shop shop;
  private OrderIds ids;
  private final Queue<OrderEvent> events = new ConcurrentLinkedQueue<>();
  private int requests;

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start();
    bed =
        ConsumerBed.on(
            newDatabase(), Map.of("redis.uri", redis.uri(), "mysql.statementTimeoutMs", "4000"));
    shop = new Shop(bed, redis).open();
    ids = new OrderIds(HexFormat.of().parseHex(bed.config().orderId().key().value()));
    await(bed.vertx().deployVerticle(new OrdersVerticle(bed.config(), bed.metrics())));
    await(bed.vertx().deployVerticle(new LedgerVerticle(bed.config(), bed.metrics())));
    await(bed.vertx().deployVerticle(new AuditVerticle(bed.config(), bed.metrics())));
    bed.vertx()
        .eventBus()
        .<OrderEvents>consumer(
            Addresses.ORDER_EVENTS, message -> events.addAll(message.body().events()));
    shop.sell(1, 2, STOCK);
  }

  @AfterEach
  void close() {
    bed.close();
    redis.close();
  }

  private void consume() {
    await(
        bed.vertx()
            .deployVerticle(new LogConsumerVerticle(bed.config(), bed.metrics(), List.of(0))));
  }

  private <A> Future<A> ask(String address, Object question) {
    Future<Message<A>> reply =
        bed.vertx()
            .eventBus()
            .request(address, question, new DeliveryOptions().setSendTimeout(30_000));
    return reply
        .map(Message::body)
        .recover(
            failure ->
                Future.failedFuture(BusFailures.translate(failure, ErrorCode.OUTCOME_UNKNOWN)));
  }

  private Future<DeadLetter> change(Action action, EntryId entry) {
    return ask(
        Addresses.CHANGE_DEAD_LETTER,
        new DeadLetterChange("r" + requests++, "op", letter(entry), action));
  }

  private DeadLetter settle(EntryId entry) {
    return await(change(Action.SETTLE, entry));
  }

  private DeadLetter retry(EntryId entry) {
    return await(change(Action.RETRY, entry));
  }

  private static LetterId letter(EntryId entry) {
    return LetterId.of(new WinId(SHARD, entry));
  }

  private DeadLetter show(EntryId entry) {
    return await(ask(Addresses.DEAD_LETTER, new DeadLetterQuery(letter(entry))));
  }

  private OrderId id(EntryId win) {
    return ids.seal(new WinId(SHARD, win));
  }

  private OrderView order(String user, EntryId win) {
    return await(this.<OrderViews>ask(Addresses.ORDER, new OrderQuery(new UserId(user), id(win))))
        .orders()
        .get(0);
  }

  private void awaitNumber(String what, String sql, long expected) throws InterruptedException {
    Await.until(ConsumerBed.BOUND, what, () -> bed.number(sql) == expected);
  }

  private void awaitLetters(long expected) throws InterruptedException {
    awaitNumber("letters", "SELECT COUNT(*) FROM dead_letters", expected);
  }

  private long stock() {
    return Long.parseLong(shop.redis("GET", shop.keys(0).stock(new ItemId(1))).strip());
  }

  private List<Releases.Release> waiting() {
    return await(
            this.<Releases>ask(Addresses.LEDGER_RELEASES, new ReleasesQuery(REGION, 0, 0, 500)))
        .releases();
  }

  private void releaseAll() throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        "all is released and stored",
        () -> {
          for (Releases.Release release : waiting()) {
            shop.release(release.user().value(), release.items().get(0).value(), release.win());
          }
          return waiting().isEmpty();
        });
  }

  private AuditReport audit() throws InterruptedException {
    // It connects in the background.
    Await.until(
        ConsumerBed.BOUND,
        "the audit answers",
        () ->
            await(
                this.<AuditReport>ask(Addresses.AUDIT, new AuditRequest(null, 0))
                    .map(report -> true)
                    .otherwise(false)));
    return await(this.<AuditReport>ask(Addresses.AUDIT, new AuditRequest(null, 10_000)));
  }

  private void assertClean() throws InterruptedException {
    assertThat(audit().findings()).isEmpty();
  }

  private static void assertRefused(ErrorCode code, Runnable step) {
    assertThatThrownBy(step::run)
        .isInstanceOfSatisfying(
            SeckillException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  /** A win that MySQL refuses, because it believes that the user holds more already. */
  private EntryId deadWin(String user) throws InterruptedException {
    bed.query("INSERT INTO holdings (item_id, user_id, units) VALUES (1, '" + user + "', 2)");
    EntryId win = shop.win(user, 1, 1);
    consume();
    awaitLetters(1);
    return win;
  }

  private void forgetHoldings() {
    bed.query("DELETE FROM holdings WHERE user_id <> 'cat'");
  }

  @Test
  void OL_03_openLetterShouldReadAcceptedAndSettledOneFailed() throws InterruptedException {
    EntryId win = deadWin("ann");
    forgetHoldings();
    assertThat(order("ann", win).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertThat(audit().findings()).hasSize(1);
    assertRefused(
        ErrorCode.BUSY,
        () -> await(ask(Addresses.CANCEL_ORDER, OrderCancel.byUser(new UserId("ann"), id(win)))));

    DeadLetter letter = settle(win);

    assertThat(letter.state()).isEqualTo(LetterState.SETTLING);
    assertThat(letter.user()).isEqualTo(new UserId("ann"));
    assertThat(letter.units()).containsExactly(new DeadLetter.Units(new ItemId(1), 1));
    OrderView view = order("ann", win);
    assertThat(view.status()).isEqualTo(OrderStatus.FAILED);
    assertThat(view.reason()).isEqualTo("LIMIT");
    assertThat(view.lines()).containsExactly(new OrderView.Line(new ItemId(1), 1, 9_900));
    assertThat(
            await(
                    this.<OrderViews>ask(
                        Addresses.ORDERS, new OrdersQuery(new UserId("ann"), 10, null)))
                .orders())
        .containsExactly(view);
    assertRefused(
        ErrorCode.CONFLICT,
        () -> await(ask(Addresses.CANCEL_ORDER, OrderCancel.byUser(new UserId("ann"), id(win)))));
    Await.until(ConsumerBed.BOUND, "the buyer is told", () -> !events.isEmpty());
    assertThat(events)
        .extracting(event -> event.user() + " " + event.status() + " " + event.reason())
        .containsExactly("ann FAILED LIMIT");
    // Between settling and the release everything is explained, too.
    assertClean();
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertThat(show(win).state()).isEqualTo(LetterState.RELEASED);
    assertThat(bed.number("SELECT COUNT(*) FROM outbox WHERE state = 'DONE'")).isEqualTo(1);
    assertThat(order("ann", win)).isEqualTo(view);
    assertClean();
    // The quota is back as well.
    EntryId next = shop.buyMore("ann", 1, 2, "again").entry();
    Await.until(
        ConsumerBed.BOUND,
        "it is stored",
        () -> order("ann", next).status() == OrderStatus.PENDING_PAYMENT);
    assertClean();
  }

  @Test
  void OL_04_settleShouldGiveBackOnceWhoeverAsksHoweverOften() throws InterruptedException {
    EntryId win = deadWin("ann");
    forgetHoldings();

    List<Future<DeadLetter>> both =
        List.of(change(Action.SETTLE, win), change(Action.SETTLE, win), change(Action.SETTLE, win));
    await(Future.all(both));

    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isEqualTo(1);
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isEqualTo(1);
    releaseAll();
    assertThat(settle(win).state()).isEqualTo(LetterState.RELEASED);
    assertThat(waiting()).isEmpty();
    assertThat(stock()).isEqualTo(STOCK);
    assertRefused(ErrorCode.CONFLICT, () -> retry(win));
    assertThat(bed.query("SELECT DISTINCT actor, action, detail FROM audit_log WHERE item_id = 0"))
        .extracting(row -> row.getString(0) + " " + row.getString(1) + " " + row.getString(2))
        .containsExactly("op SETTLE_LETTER " + letter(win));
    assertClean();
  }

  @Test
  void OL_04_theSameRequestShouldBeDoneOnce() throws InterruptedException {
    EntryId win = deadWin("ann");
    DeadLetterChange change = new DeadLetterChange("one", "op", letter(win), Action.SETTLE);

    await(ask(Addresses.CHANGE_DEAD_LETTER, change));
    await(ask(Addresses.CHANGE_DEAD_LETTER, change));

    assertThat(bed.number("SELECT COUNT(*) FROM audit_log WHERE request_id = 'one'")).isEqualTo(1);
    assertRefused(
        ErrorCode.CONFLICT,
        () ->
            await(
                ask(
                    Addresses.CHANGE_DEAD_LETTER,
                    new DeadLetterChange("one", "op", letter(win), Action.RETRY))));
  }

  @Test
  void SC_09_retryShouldStoreTheOrderOnceNothingIsInItsWay() throws InterruptedException {
    EntryId win = deadWin("ann");
    assertRefused(ErrorCode.CONFLICT, () -> retry(win));
    assertThat(show(win).state()).isEqualTo(LetterState.OPEN);
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isZero();
    assertThat(bed.number("SELECT COUNT(*) FROM audit_log WHERE item_id = 0")).isZero();
    forgetHoldings();

    DeadLetter letter = retry(win);

    assertThat(letter.state()).isEqualTo(LetterState.STORED);
    assertThat(order("ann", win).status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
    assertThat(bed.number("SELECT units FROM holdings WHERE user_id = 'ann'")).isEqualTo(1);
    assertThat(bed.number("SELECT held_units FROM items WHERE item_id = 1")).isEqualTo(1);
    assertThat(retry(win)).isEqualTo(letter);
    assertThat(settle(win)).isEqualTo(letter);
    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isZero();
    Await.until(ConsumerBed.BOUND, "the buyer is told", () -> !events.isEmpty());
    assertThat(events)
        .extracting(event -> event.user() + " " + event.status())
        .containsExactly("ann PENDING_PAYMENT");
    assertClean();
    // From here on it is an order like any other.
    await(ask(Addresses.CANCEL_ORDER, OrderCancel.byUser(new UserId("ann"), id(win))));
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertClean();
  }

  @Test
  void retryShouldWaitWhileTheShardIsBeingOpened() throws InterruptedException {
    EntryId win = deadWin("ann");
    forgetHoldings();
    bed.query("UPDATE shards SET state = 'REPAIRING'");

    assertRefused(ErrorCode.BUSY, () -> retry(win));

    bed.query("UPDATE shards SET state = 'OPEN'");
    assertThat(retry(win).state()).isEqualTo(LetterState.STORED);
  }

  @Test
  void SC_05_settleShouldGiveBackWhatTheReceiptSaysWhenTheEntryIsGone()
      throws InterruptedException {
    shop.sell(2, 5, 10);
    storeOpening();
    EntryId first = shop.win("ann", 2, 3);
    EntryId second = shop.win("bob", 1, 1);
    shop.redis("XDEL", shop.keys(0).log(), first.toString());
    shop.redis("XDEL", shop.keys(0).log(), second.toString());
    bury(first);
    bury(second);
    consume();
    assertThat(order("ann", first).status()).isEqualTo(OrderStatus.ACCEPTED);
    assertThat(show(first).units()).isEmpty();

    DeadLetter letter = settle(first);
    settle(second);

    assertThat(letter.state()).isEqualTo(LetterState.SETTLING);
    assertThat(letter.user()).isEqualTo(new UserId("ann"));
    assertThat(letter.units()).containsExactly(new DeadLetter.Units(new ItemId(2), 3));
    OrderView view = order("ann", first);
    assertThat(view.status()).isEqualTo(OrderStatus.FAILED);
    assertThat(view.reason()).isEqualTo(Letter.DELETED);
    releaseAll();
    assertThat(stock()).isEqualTo(STOCK);
    assertThat(shop.redis("GET", shop.keys(0).stock(new ItemId(2))).strip()).isEqualTo("10");
    assertClean();
  }

  /** A consumer would do so itself after some time. */
  private void bury(EntryId entry) {
    Received gone = Received.lost(entry.toString(), Letter.DELETED);
    assertThat(await(store().store(SHARD, List.of(gone))))
        .isEqualTo(new Outcome.Stored(0, 0, 1, 0));
  }

  private LogStore store() {
    return new LogStore(
        bed.vertx(),
        new BatchStore(bed.database(), bed.news()),
        bed.metrics(),
        ConsumerBed.patience(100));
  }

  @Test
  void settleShouldOnlyCloseALetterWithoutAWin() throws InterruptedException {
    EntryId join = shop.writeEntry(0, "k", "join", "t", "1764430000000", "i", "x", "u", "ann");
    consume();
    awaitLetters(1);
    assertRefused(ErrorCode.CONFLICT, () -> retry(join));

    DeadLetter letter = settle(join);

    assertThat(letter.state()).isEqualTo(LetterState.CLOSED);
    assertThat(settle(join)).isEqualTo(letter);
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isZero();
    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isZero();
    assertClean();
  }

  @Test
  void settleShouldRefuseWhatTheSumsOfTheShardNeed() throws InterruptedException {
    EntryId entry = writeRelease(new EntryId(shop.epoch(0), 999_999));
    consume();
    awaitLetters(1);

    assertRefused(ErrorCode.CONFLICT, () -> settle(entry));

    assertThat(show(entry).state()).isEqualTo(LetterState.OPEN);
    assertThat(bed.number("SELECT COUNT(*) FROM audit_log WHERE item_id = 0")).isZero();
  }

  private EntryId writeRelease(EntryId win) {
    return shop.writeEntry(
        0,
        "k",
        "rel",
        "t",
        "1764430000000",
        "u",
        "ann",
        "w",
        win.toString(),
        "r",
        "timeout",
        "l",
        "1:1:stock");
  }

  @Test
  void SC_09_retryShouldSayThatStoringSurelyFailsAgain() throws InterruptedException {
    EntryId newer = new EntryId(shop.epoch(0), 999_999);
    bed.query(
        "INSERT INTO dead_letters (region, shard, epoch, seq, reason, detail, payload, user_id,"
            + " state, created_at_ms, closed_at_ms) VALUES ("
            + REGION
            + ", 0, "
            + newer.epoch()
            + ", "
            + newer.seq()
            + ", 'TEST', '', '{}', '', 'NEWER', 0, 0)");
    EntryId entry = writeRelease(newer);
    consume();
    awaitLetters(2);

    assertThatThrownBy(() -> retry(entry))
        .isInstanceOfSatisfying(
            SeckillException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("it fails again");
  }

  @Test
  void OL_03_releaseOfAnOpenLetterShouldTellTheBuyer() throws InterruptedException {
    EntryId win = deadWin("ann");

    shop.release("ann", 1, win);

    Await.until(ConsumerBed.BOUND, "the buyer is told", () -> !events.isEmpty());
    assertThat(events)
        .extracting(event -> event.user() + " " + event.status() + " " + event.reason())
        .containsExactly("ann FAILED LIMIT");
    assertThat(show(win).state()).isEqualTo(LetterState.RELEASED);
  }

  /** A win that only the receipts know, told by a letter. */
  private EntryId goneWin(String user) throws InterruptedException {
    storeOpening();
    EntryId win = shop.win(user, 1, 1);
    shop.redis("XDEL", shop.keys(0).log(), win.toString());
    bury(win);
    return win;
  }

  @Test
  void SC_05_settleShouldFindTheReceiptBehindAThousandNewerItems() throws InterruptedException {
    EntryId win = goneWin("ann");
    StringBuilder rows = new StringBuilder();
    for (int item = 100; item < 6_000; item++) {
      rows.append(item == 100 ? "" : ",")
          .append("(" + item + ",'n',1,'CNY','',1,0,1,1,1,'CREATED',1,0,0,0,0,0,9999999999999,0)");
    }
    bed.query(
        "INSERT INTO items (item_id, name, price_minor, currency, picture, limit_per_user,"
            + " starts_at_ms, ends_at_ms, pay_within_ms, stock, state, generation, restocks,"
            + " units_in, units_out, held_units, archived, created_at_ms, updated_at_ms) VALUES "
            + rows);

    DeadLetter letter = settle(win);

    assertThat(letter.state()).isEqualTo(LetterState.SETTLING);
    assertThat(letter.units()).containsExactly(new DeadLetter.Units(new ItemId(1), 1));
    assertThat(order("ann", win).wonAtMs()).isPositive();
  }

  @Test
  void SC_05_settleShouldNotSayThereWasNoWinWhenAReceiptIsSpoilt() throws InterruptedException {
    EntryId win = goneWin("ann");
    String receipts = shop.keys(0).receipts(new ItemId(1));
    String receipt = shop.redis("HGET", receipts, "ann").strip();
    shop.redis("HSET", receipts, "ann", "spoilt");

    assertRefused(ErrorCode.CONFLICT, () -> settle(win));

    assertThat(show(win).state()).isEqualTo(LetterState.OPEN);
    // That of another user is no matter once the win is found.
    shop.redis("HSET", receipts, "ann", receipt);
    shop.redis("HSET", receipts, "bob", "spoilt");
    assertThat(settle(win).state()).isEqualTo(LetterState.SETTLING);
  }

  @Test
  void SC_05_settleShouldNotTrustReceiptsOfAnotherEpoch() throws InterruptedException {
    EntryId win = goneWin("ann");
    bed.query("UPDATE shards SET epoch = epoch + 1");

    assertRefused(ErrorCode.BUSY, () -> settle(win));

    bed.query("UPDATE shards SET epoch = epoch - 1");
    assertThat(settle(win).state()).isEqualTo(LetterState.SETTLING);
  }

  @Test
  void settledBasketShouldBeHeldWhileOnlySomeOfItsItemsAreArchived() throws InterruptedException {
    shop.sell(2, 2, 10);
    bed.query("INSERT INTO holdings (item_id, user_id, units) VALUES (1, 'ann', 2)");
    EntryId first = writeBasket();
    EntryId second = writeBasket();
    consume();
    awaitLetters(2);
    bed.query("UPDATE items SET state = 'ARCHIVED' WHERE item_id = 2");

    assertThat(settle(first).state()).isEqualTo(LetterState.SETTLING);
    bed.query("UPDATE items SET state = 'ARCHIVED' WHERE item_id = 1");
    assertThat(settle(second).state()).isEqualTo(LetterState.RELEASED);

    assertThat(order("ann", first).status()).isEqualTo(OrderStatus.FAILED);
    assertThat(waiting()).isEmpty();
  }

  private EntryId writeBasket() {
    String line = ":1:9900:CNY:1:2:900000";
    return shop.writeEntry(
        0,
        "k",
        "win",
        "t",
        "1764430000000",
        "u",
        "ann",
        "kd",
        "-",
        "bd",
        "",
        "l",
        "1" + line + ",2" + line);
  }

  /**
   * Holds whoever inserts into a table for a user up, before the row is there: as a consumer that
   * is frozen in the middle of its transaction.
   */
  private void freezeInserts(String table, String when) {
    bed.query(
        "CREATE TRIGGER freeze_"
            + table
            + " BEFORE INSERT ON "
            + table
            + " FOR EACH ROW BEGIN DECLARE got INT; IF "
            + when
            + " THEN SET got = GET_LOCK('"
            + table
            + bed.address().database()
            + "', 30); SET got = RELEASE_LOCK('"
            + table
            + bed.address().database()
            + "'); END IF; END");
  }

  private void awaitFrozen() throws InterruptedException {
    awaitNumber(
        "a consumer is frozen in the middle of its transaction",
        "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock' AND db = '"
            + bed.address().database()
            + "'",
        1);
  }

  private void awaitWaiting(String lock) throws InterruptedException {
    awaitNumber(
        "a transaction waits for a row",
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%"
            + lock
            + "%' AND command = 'Execute' AND db = '"
            + bed.address().database()
            + "'",
        1);
  }

  private Held hold(String table) {
    return new Held(bed.vertx(), bed.address(), table + bed.address().database());
  }

  /** What a consumer has in hand, read as the consumer reads. */
  private List<Received> read(EntryId win, String user) {
    return Received.read(
        win.toString(),
        Map.of(
            "k",
            "win",
            "t",
            "1764430000000",
            "u",
            user,
            "kd",
            "-",
            "bd",
            "",
            "l",
            "1:1:9900:CNY:1:2:900000"));
  }

  @Test
  void OL_04_settledWinShouldStayFailedWhenItsOldInsertComesLater() throws InterruptedException {
    storeOpening();
    EntryId win = shop.win("ann", 1, 1);
    freezeInserts("orders", "NEW.status = 'PENDING_PAYMENT'");
    Future<Outcome> late;
    try (Held held = hold("orders")) {
      held.take();
      late = store().store(SHARD, read(win, "ann"));
      awaitFrozen();
      // Another consumer has given it up meanwhile, and an operator settles it.
      bury(win);
      assertThat(bed.query("SELECT state FROM dead_letters").get(0).getString(0)).isEqualTo("OPEN");
      assertThat(settle(win).state()).isEqualTo(LetterState.SETTLING);
    }

    assertThat(await(late)).isEqualTo(new Outcome.Stored(0, 0, 0, 1));
    bed.query("DROP TRIGGER freeze_orders");
    assertThat(order("ann", win).status()).isEqualTo(OrderStatus.FAILED);
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE status <> 'FAILED'")).isZero();
    assertThat(bed.number("SELECT COUNT(*) FROM holdings")).isZero();
    consume();
    releaseAll();
    assertThat(bed.number("SELECT COUNT(*) FROM shard_log WHERE kind = 'rel'")).isEqualTo(1);
    assertThat(stock()).isEqualTo(STOCK);
    assertClean();
  }

  @Test
  void OL_04_settleShouldReleaseNothingWhenTheOldInsertComesFirst() throws InterruptedException {
    storeOpening();
    EntryId win = shop.win("ann", 1, 1);
    freezeInserts("orders", "NEW.status = 'PENDING_PAYMENT'");
    freezeInserts("order_lines", "TRUE");
    Future<Outcome> late;
    Future<DeadLetter> settled;
    try (Held lines = hold("order_lines")) {
      lines.take();
      try (Held orders = hold("orders")) {
        orders.take();
        late = store().store(SHARD, read(win, "ann"));
        awaitFrozen();
        bury(win);
      }
      // Now the row of the order is there, and its transaction goes on for a while.
      awaitNumber(
          "the consumer has passed the first place",
          "SELECT IS_FREE_LOCK('orders" + bed.address().database() + "')",
          1);
      awaitFrozen();
      settled = change(Action.SETTLE, win);
      awaitWaiting("FOR UPDATE");
    }

    assertThat(await(late)).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
    assertThat(await(settled).state()).isEqualTo(LetterState.STORED);
    assertThat(order("ann", win).status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
    assertThat(bed.number("SELECT COUNT(*) FROM outbox")).isZero();
    consume();
    assertThat(stock()).isEqualTo(STOCK - 1);
    assertClean();
  }

  @Test
  void SC_08_lateInsertShouldCloseTheLetterThatWasOpenedInVain() throws InterruptedException {
    storeOpening();
    EntryId win = shop.win("ann", 1, 1);
    freezeInserts("orders", "TRUE");
    Future<Outcome> late;
    try (Held held = hold("orders")) {
      held.take();
      late = store().store(SHARD, read(win, "ann"));
      awaitFrozen();
      bury(win);
    }

    assertThat(await(late)).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
    assertThat(show(win).state()).isEqualTo(LetterState.STORED);
    bed.query("DROP TRIGGER freeze_orders");
    consume();
    assertClean();
  }

  @Test
  void SC_08_letterShouldNotBeOpenedForWhatIsBeingStored() throws InterruptedException {
    storeOpening();
    EntryId win = shop.win("ann", 1, 1);
    freezeInserts("order_lines", "TRUE");
    Future<Outcome> first;
    Future<Outcome> letter;
    try (Held held = hold("order_lines")) {
      held.take();
      first = store().store(SHARD, read(win, "ann"));
      awaitFrozen();
      letter = store().store(SHARD, List.of(Received.lost(win.toString(), Letter.MISSING)));
      awaitWaiting("SHARE MODE");
    }

    assertThat(await(first)).isEqualTo(new Outcome.Stored(1, 0, 0, 0));
    assertThat(await(letter)).isEqualTo(new Outcome.Stored(0, 0, 0, 1));
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  /** Stores what the shard did before anybody bought. */
  private void storeOpening() throws InterruptedException {
    String node =
        await(
            bed.vertx()
                .deployVerticle(new LogConsumerVerticle(bed.config(), bed.metrics(), List.of(0))));
    awaitNumber("the opening is stored", "SELECT COUNT(*) FROM moves WHERE state = 'PENDING'", 0);
    Await.until(ConsumerBed.BOUND, "the log is trimmed", () -> shop.logLength(0) == 0);
    await(bed.vertx().undeploy(node));
  }

  @Test
  void pageShouldShowLettersByNameAndState() throws InterruptedException {
    EntryId win = deadWin("ann");
    shop.writeEntry(0, "k", "nonsense", "t", "1");
    awaitLetters(2);
    settle(win);

    DeadLetters open =
        await(ask(Addresses.DEAD_LETTERS, new DeadLettersQuery(LetterState.OPEN, null, 10)));
    assertThat(open.letters()).extracting(DeadLetter::reason).containsExactly(Letter.MALFORMED);
    DeadLetters first = await(ask(Addresses.DEAD_LETTERS, new DeadLettersQuery(null, null, 1)));
    assertThat(first.more()).isTrue();
    assertThat(first.letters()).extracting(DeadLetter::id).containsExactly(letter(win));
    assertThat(first.letters().get(0).payload()).isEmpty();
    DeadLetters second =
        await(ask(Addresses.DEAD_LETTERS, new DeadLettersQuery(null, letter(win), 1)));
    assertThat(second.more()).isFalse();
    assertThat(second.letters()).hasSize(1);
    assertRefused(ErrorCode.NOT_FOUND, () -> show(new EntryId(9, 9)));
    assertThat(show(win).payload()).contains("\"u\":\"ann\"");
    assertThat(show(win).orderId()).isEqualTo(id(win));
  }
}

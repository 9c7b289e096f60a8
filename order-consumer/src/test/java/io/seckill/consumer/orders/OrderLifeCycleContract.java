package io.seckill.consumer.orders;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.bus.Releases;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.ledger.ItemArchive;
import io.seckill.consumer.ledger.ReleaseLedger;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Entries;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Outcome;
import io.seckill.consumer.store.Received;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlHold;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the life of an order promises, on every database that the dialect is for. */
abstract class OrderLifeCycleContract {

  private static final ShardRef SHARD = new ShardRef(REGION, 0);

  /** Waves of a race: more in the long run, and no more than a minute of them. */
  private static final int WAVES = Math.min(Integer.getInteger("rounds", 10), 500);

  /** Orders of a wave: what is begun for them at once waits in the pool's bounded queue. */
  private static final int WAVE = 20;

  /** After so many waves each end must have been seen. */
  private static final int ENOUGH_WAVES = 10;

  private static final String DUE =
      "UPDATE orders SET pay_by_ms = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3))"
          + " DIV 1000 - 1 WHERE seq IN ";

  private ConsumerBed bed;
  private LogStore store;
  private long epoch;

  /** An empty database. */
  abstract MySqlAddress newDatabase();

  @BeforeEach
  void open() {
    bed = ConsumerBed.on(newDatabase());
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

  @AfterEach
  void close() {
    bed.close();
  }

  private Outcome save(Received... entries) {
    return save(List.of(entries));
  }

  private Outcome save(List<Received> entries) {
    List<List<Received>> runs = Entries.runs(entries);
    assertThat(runs).hasSize(1);
    return await(store.store(SHARD, runs.get(0)));
  }

  private WinId win(long seq) {
    return new WinId(SHARD, new EntryId(epoch, seq));
  }

  private <T> Future<T> begin(Function<SqlConnection, Future<T>> work) {
    return bed.database().inTransactionRepeating(work);
  }

  private <T> T transact(Function<SqlConnection, Future<T>> work) {
    return await(begin(work));
  }

  private boolean does(Function<SqlConnection, Future<Boolean>> change) {
    return transact(change);
  }

  private int cancel(long seq, String reason) {
    return transact(connection -> OrderLifeCycle.cancel(connection, List.of(win(seq)), reason));
  }

  private List<WinId> timeOut(int limit) {
    return transact(connection -> OrderLifeCycle.timeOut(connection, limit).map(TimedOut::wins));
  }

  private OrderState state(long seq) {
    return transact(connection -> OrderLifeCycle.state(connection, win(seq))).orElseThrow();
  }

  private List<Releases.Release> releases(long afterId, int limit) {
    return await(
            new ReleaseLedger(bed.database()).page(new ReleasesQuery(REGION, 0, afterId, limit)))
        .releases();
  }

  private void pay(long seq, String payment) {
    assertThat(does(connection -> OrderLifeCycle.pay(connection, win(seq)))).isTrue();
    bed.query(
        "INSERT INTO payments (payment_id, region, shard, epoch, seq, amount_minor, currency,"
            + " state, provider_ref, told_minor, told_currency, created_at_ms, ask_at_ms,"
            + " done_at_ms) VALUES ('"
            + payment
            + "', 3, 0, "
            + epoch
            + ", "
            + seq
            + ", 9900, 'CNY', 'PAID', '', 0, '', 0, 0, 0)");
  }

  private List<String> changedSince(long sinceMs, String... users) {
    List<UserId> asked = Arrays.stream(users).map(UserId::new).toList();
    return await(
            new ChangedOrders(bed.database(), orderIds())
                .since(new OrdersChangedQuery(asked, sinceMs)))
        .events()
        .stream()
        .map(
            event ->
                event.user()
                    + " "
                    + orderIds().open(event.orderId()).orElseThrow().entry().seq()
                    + " "
                    + event.status()
                    + event.reason()
                    + (event.promoted() ? " promoted" : ""))
        .toList();
  }

  private OrderIds orderIds() {
    return new OrderIds(HexFormat.of().parseHex(bed.config().orderId().key().value()));
  }

  /** As if everything so far had been an hour ago. */
  private void anHourPasses() {
    bed.query("UPDATE orders SET changed_at_ms = changed_at_ms - 3600000");
  }

  @Test
  void changedOrdersShouldBeThoseThatBecameSomethingElse() {
    save(
        Entries.win(epoch, 2, "ann", 1, 3),
        Entries.waitlist(epoch, 3, "join", "bob"),
        Entries.promotion(epoch, 4, "bob", 1, 3),
        Entries.win(epoch, 5, "cat", 1, 3));
    long now = number("SELECT MIN(created_at_ms) FROM orders");
    assertThat(changedSince(now, "ann", "bob", "bob"))
        .containsExactly("ann 2 PENDING_PAYMENT", "bob 4 PENDING_PAYMENT promoted");

    anHourPasses();
    assertThat(changedSince(now, "ann", "bob", "cat")).isEmpty();
    cancel(2, OrderCancel.BY_USER);
    assertThat(changedSince(now, "ann", "bob", "cat")).containsExactly("ann 2 CANCELLEDuser");
    anHourPasses();
    pay(4, "p");
    assertThat(changedSince(now, "ann", "bob", "cat")).containsExactly("bob 4 PAID promoted");
    anHourPasses();
    assertThat(does(connection -> OrderLifeCycle.refund(connection, win(4)))).isTrue();
    assertThat(changedSince(now, "bob")).containsExactly("bob 4 REFUND_PENDINGrefund promoted");
    anHourPasses();
    bed.query("UPDATE refunds SET state = 'DONE'");
    assertThat(does(connection -> OrderLifeCycle.refunded(connection, win(4)))).isTrue();
    assertThat(changedSince(now, "bob")).containsExactly("bob 4 REFUNDEDrefund promoted");
    assertThat(changedSince(0, "ann", "bob", "cat", "dan")).hasSize(3);
  }

  @Test
  void changedOrdersShouldBeAskedOfFewUsersAtOnce() {
    String[] many = IntStream.range(0, 501).mapToObj(i -> "u" + i).toArray(String[]::new);

    assertThatThrownBy(() -> changedSince(0)).isInstanceOf(SeckillException.class);
    assertThatThrownBy(() -> changedSince(0, many)).isInstanceOf(SeckillException.class);
  }

  private long number(String sql) {
    return bed.number(sql);
  }

  @Test
  void cancelShouldKeepTheUnitsUntilTheEntryOfTheReleaseIsStored() {
    save(Entries.win(epoch, 2, "ann", 2, 3));

    assertThat(cancel(2, OrderCancel.BY_USER)).isEqualTo(1);

    assertThat(state(2).status()).isEqualTo(OrderStatus.CANCELLED);
    assertThat(state(2).reason()).isEqualTo("user");
    assertThat(number("SELECT held_units FROM orders")).isEqualTo(2);
    assertThat(number("SELECT units FROM holdings")).isEqualTo(2);
    Releases.Release release = releases(0, 500).get(0);
    assertThat(release.user()).isEqualTo(new UserId("ann"));
    assertThat(release.win()).isEqualTo(new EntryId(epoch, 2));
    assertThat(release.reason()).isEqualTo("user");
    assertThat(release.items()).containsExactly(new ItemId(1));

    Received entry = Entries.release(epoch, 3, "ann", epoch + "-2", 2, true);
    save(entry);

    assertThat(releases(0, 500)).isEmpty();
    assertThat(state(2).status()).isEqualTo(OrderStatus.CANCELLED);
    assertThat(state(2).reason()).isEqualTo("user");
    assertThat(number("SELECT held_units FROM orders")).isZero();
    assertThat(number("SELECT units FROM holdings")).isZero();
    assertThat(number("SELECT held_units FROM items")).isZero();
    assertThat(bed.query("SELECT state FROM outbox").get(0).getString(0)).isEqualTo("DONE");
    // The same entry once more, as after a crash before its acknowledgement.
    assertThat(save(entry)).isEqualTo(new Outcome.Stored(0, 0, 0, 1));
    assertThat(number("SELECT held_units FROM items")).isZero();
  }

  @Test
  void cancelShouldChangeNothingWhenTheOrderDoesNotWaitForMoney() {
    save(Entries.win(epoch, 2, "ann", 1, 3));
    pay(2, "p");

    assertThatThrownBy(() -> cancel(2, OrderCancel.BY_USER))
        .isInstanceOf(IllegalStateException.class);
    assertThat(state(2).status()).isEqualTo(OrderStatus.PAID);
    assertThat(number("SELECT COUNT(*) FROM outbox")).isZero();
  }

  @Test
  void OL_06_timeOutShouldEndWhatIsDueInBatchesLongestOverFirst() {
    save(Entries.wins(epoch, 2, 5, "u"));
    bed.query(DUE + "(2, 4, 6)");
    bed.query("UPDATE orders SET pay_by_ms = 5 WHERE seq = 6");

    assertThat(timeOut(2)).hasSize(2).first().isEqualTo(win(6));
    assertThat(timeOut(2)).hasSize(1);
    assertThat(timeOut(2)).isEmpty();

    assertThat(number("SELECT COUNT(*) FROM orders WHERE status = 'CANCELLED'")).isEqualTo(3);
    assertThat(number("SELECT COUNT(*) FROM orders WHERE reason = 'timeout'")).isEqualTo(3);
    assertThat(releases(0, 500)).hasSize(3).allMatch(one -> one.reason().equals("timeout"));
    assertThat(state(3).status()).isEqualTo(OrderStatus.PENDING_PAYMENT);
  }

  @Test
  void OL_06_timeOutShouldPassByWhatSomebodyElseChanges() {
    save(Entries.wins(epoch, 2, 3, "u"));
    bed.query(DUE + "(2, 3, 4)");
    try (SqlHold other =
        SqlHold.of(
            bed.address(),
            "SELECT * FROM orders WHERE seq = 3 AND region = 3 AND shard = 0"
                + " AND epoch = "
                + epoch
                + " FOR UPDATE")) {
      assertThat(other).isNotNull();
      assertThat(timeOut(500)).containsExactlyInAnyOrder(win(2), win(4));
    }
    assertThat(timeOut(500)).containsExactly(win(3));
  }

  @Test
  void OL_06_timeOutShouldEndEachOrderOnceWhenManyNodesDoIt() {
    int orders = 300;
    save(Entries.wins(epoch, 2, orders, "u"));
    bed.query("UPDATE orders SET pay_by_ms = 1");

    List<Future<List<TimedOut>>> nodes = new ArrayList<>();
    for (int node = 0; node < 12; node++) {
      nodes.add(begin(connection -> OrderLifeCycle.timeOut(connection, 50)));
    }
    await(Future.all(nodes));
    int ended = nodes.stream().mapToInt(node -> node.result().size()).sum();
    for (List<WinId> more = timeOut(50); !more.isEmpty(); more = timeOut(50)) {
      ended += more.size();
    }

    assertThat(ended).isEqualTo(orders);
    assertThat(number("SELECT COUNT(*) FROM outbox WHERE state = 'PENDING'")).isEqualTo(orders);
    assertThat(releases(0, 200)).hasSize(200);
    assertThat(releases(releases(0, 200).get(199).id(), 200)).hasSize(100);
  }

  @Test
  void OL_05_payShouldExcludeTimeOutAndCancelWhateverComesFirst() {
    int orders = WAVES * WAVE;
    List<Future<Boolean>> paid = new ArrayList<>();
    List<Future<Boolean>> cancelled = new ArrayList<>();
    List<Future<List<TimedOut>>> timedOut = new ArrayList<>();
    for (long first = 2; first < orders + 2; first += WAVE) {
      save(Entries.wins(epoch, first, WAVE, "u"));
      bed.query("UPDATE orders SET pay_by_ms = 1 WHERE status = 'PENDING_PAYMENT'");
      List<Future<?>> wave = new ArrayList<>();
      for (long seq = first; seq < first + WAVE; seq++) {
        WinId win = win(seq);
        // The pool serves in order: each comes first half the time.
        if (seq % 2 == 0) {
          paid.add(begin(connection -> OrderLifeCycle.pay(connection, win)));
          cancelled.add(begin(connection -> cancelIfOpen(connection, win)));
        } else {
          cancelled.add(begin(connection -> cancelIfOpen(connection, win)));
          paid.add(begin(connection -> OrderLifeCycle.pay(connection, win)));
        }
        wave.add(paid.get(paid.size() - 1));
        wave.add(cancelled.get(cancelled.size() - 1));
        if (seq % 5 == 0) {
          timedOut.add(begin(connection -> OrderLifeCycle.timeOut(connection, 3)));
          wave.add(timedOut.get(timedOut.size() - 1));
        }
      }
      await(Future.join(wave));
    }

    long pays = paid.stream().filter(Future::result).count();
    long cancels = cancelled.stream().filter(Future::result).count();
    long timeouts = timedOut.stream().mapToLong(one -> one.result().size()).sum();
    assertThat(pays + cancels + timeouts).isEqualTo(orders);
    if (WAVES >= ENOUGH_WAVES) {
      assertThat(List.of(pays, cancels, timeouts)).doesNotContain(0L);
    }
    assertThat(number("SELECT COUNT(*) FROM orders WHERE status = 'PAID'")).isEqualTo(pays);
    assertThat(number("SELECT COUNT(*) FROM orders WHERE reason = 'user'")).isEqualTo(cancels);
    assertThat(number("SELECT COUNT(*) FROM orders WHERE reason = 'timeout'")).isEqualTo(timeouts);
    assertThat(number("SELECT COUNT(*) FROM outbox")).isEqualTo(cancels + timeouts);
    assertThat(
            number(
                "SELECT COUNT(*) FROM outbox x JOIN orders o ON o.seq = x.seq"
                    + " WHERE o.status <> 'CANCELLED'"))
        .isZero();
  }

  private static Future<Boolean> cancelIfOpen(SqlConnection connection, WinId win) {
    return OrderLifeCycle.state(connection, win)
        .compose(
            state ->
                state.orElseThrow().status() == OrderStatus.PENDING_PAYMENT
                    ? OrderLifeCycle.cancel(connection, List.of(win), OrderCancel.BY_USER).map(true)
                    : Future.succeededFuture(false));
  }

  @Test
  void refundShouldGiveMoneyAndUnitsBackOnce() {
    save(Entries.win(epoch, 2, "ann", 1, 3));
    pay(2, "p");

    assertThat(does(connection -> OrderLifeCycle.refund(connection, win(2)))).isTrue();

    assertThat(state(2).status()).isEqualTo(OrderStatus.REFUND_PENDING);
    assertThat(bed.query("SELECT payment_id FROM refunds").get(0).getString(0)).isEqualTo("p");
    assertThat(number("SELECT amount_minor FROM refunds")).isEqualTo(9_900);
    assertThat(releases(0, 500)).hasSize(1);
    assertThat(does(connection -> OrderLifeCycle.refunded(connection, win(2)))).isFalse();

    bed.query("UPDATE refunds SET state = 'DONE'");
    assertThat(does(connection -> OrderLifeCycle.refunded(connection, win(2)))).isTrue();
    assertThat(state(2).status()).isEqualTo(OrderStatus.REFUNDED);
    save(Entries.release(epoch, 3, "ann", epoch + "-2", 1, true));
    assertThat(state(2).status()).isEqualTo(OrderStatus.REFUNDED);
    assertThat(number("SELECT held_units FROM orders")).isZero();
    assertThat(releases(0, 500)).isEmpty();
  }

  @Test
  void refundShouldSayNoWhenNoPaymentIsKnown() {
    save(Entries.win(epoch, 2, "ann", 1, 3));
    assertThat(does(connection -> OrderLifeCycle.pay(connection, win(2)))).isTrue();

    assertThat(does(connection -> OrderLifeCycle.refund(connection, win(2)))).isFalse();
  }

  @Test
  void refundShouldGiveBackOnlyTheMoneyWhenTheItemIsArchived() {
    save(Entries.win(epoch, 2, "ann", 1, 3));
    pay(2, "p");
    bed.query("UPDATE items SET state = 'ARCHIVED'");

    assertThat(does(connection -> OrderLifeCycle.refund(connection, win(2)))).isTrue();

    assertThat(number("SELECT COUNT(*) FROM refunds")).isEqualTo(1);
    assertThat(number("SELECT COUNT(*) FROM outbox")).isZero();
    assertThat(number("SELECT held_units FROM orders")).isEqualTo(1);
  }

  @Test
  void archiveShouldWaitForOrdersThatMayStillEnd() {
    ItemArchive archive = new ItemArchive(bed.database(), REGION, 0);
    save(Entries.win(epoch, 2, "ann", 1, 3));
    bed.query("UPDATE items SET ends_at_ms = 10, state = 'ENDED'");

    assertThat(await(archive.round())).isZero();
    cancel(2, OrderCancel.BY_ADMIN);
    assertThat(await(archive.round())).isZero();
    save(Entries.release(epoch, 3, "ann", epoch + "-2", 1, false));
    assertThat(await(archive.round())).isEqualTo(1);
  }

  @Test
  void releasesShouldTellAllItemsOfAWinOldestFirst() {
    bed.preheat(2, 100, 10);
    save(
        Entries.unitsIn(epoch, 2, 2, 1, 10),
        Entries.basket(epoch, 3, "ann", 1, 2),
        Entries.win(epoch, 4, "bob", 1, 3));
    cancel(4, OrderCancel.BY_ADMIN);
    cancel(3, OrderCancel.BY_USER);

    List<Releases.Release> page = releases(0, 500);

    assertThat(page).extracting(release -> release.user().value()).containsExactly("bob", "ann");
    assertThat(page.get(1).items()).containsExactly(new ItemId(1), new ItemId(2));
    assertThat(releases(0, 1)).containsExactly(page.get(0));
    assertThat(releases(page.get(0).id(), 1)).containsExactly(page.get(1));
    assertThatThrownBy(() -> releases(0, 501)).isInstanceOf(SeckillException.class);
  }

  @Test
  void OL_04_storeShouldSettleManyReleasesAtOnceAndBuryOnlyTheOneThatRepeats() {
    int orders = 100;
    save(Entries.wins(epoch, 2, orders, "u"));
    bed.query("UPDATE orders SET pay_by_ms = 1");
    assertThat(timeOut(500)).hasSize(orders);

    List<Received> entries = new ArrayList<>();
    for (long seq = 2; seq < orders + 2; seq++) {
      entries.add(
          Entries.release(epoch, orders + seq, "u" + seq, epoch + "-" + seq, 1, seq % 2 == 0));
    }
    entries.add(Entries.release(epoch, 2 * orders + 2, "u7", epoch + "-7", 1, true));
    assertThat(save(entries)).isEqualTo(new Outcome.Stored(0, 0, 1, 0));

    assertThat(releases(0, 500)).isEmpty();
    assertThat(number("SELECT SUM(held_units) FROM orders")).isZero();
    assertThat(number("SELECT held_units FROM items")).isZero();
    assertThat(number("SELECT units_out FROM items")).isEqualTo(orders / 2);
    assertThat(number("SELECT COUNT(*) FROM orders WHERE reason = 'timeout'")).isEqualTo(orders);
    assertThat(number("SELECT seq FROM dead_letters")).isEqualTo(2 * orders + 2);
  }
}

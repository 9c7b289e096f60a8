package io.seckill.consumer.audit;

import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.audit.Finding;
import io.seckill.common.audit.ItemTotals;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.ShardRef;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.Move;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.consumer.ledger.ItemArchive;
import io.seckill.consumer.ledger.ShardSnapshots;
import io.seckill.consumer.log.LogConsumerVerticle;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.lua.DecidePurchases;
import io.seckill.lua.PurchaseStatus;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The audit on real servers: clean when all is well, and a finding with amount and place when not.
 */
class AuditIT {

  private EmbeddedRedis redis;
  private ConsumerBed bed;
  private Shop shop;
  private String consumer;

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start();
    Map<String, String> overrides = new HashMap<>();
    overrides.put("redis.uri", redis.uri());
    overrides.put("redis.shards", "2");
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase(), overrides);
    shop = new Shop(bed, redis).open();
    await(bed.vertx().deployVerticle(new AuditVerticle(bed.config(), bed.metrics())));
    shop.sell(1, 3, 101);
    shop.sell(2, 3, 50);
    consume();
  }

  private void consume() {
    consumer =
        await(
            bed.vertx()
                .deployVerticle(
                    new LogConsumerVerticle(bed.config(), bed.metrics(), List.of(0, 1))));
  }

  @AfterEach
  void close() {
    bed.close();
    redis.close();
  }

  private AuditReport audit(Long item, long waitMs) throws InterruptedException {
    ItemId id = item == null ? null : new ItemId(item);
    // The verticle connects in the background.
    Await.until(ConsumerBed.BOUND, "the audit answers", () -> request(id, 0) != null);
    return request(id, waitMs);
  }

  private AuditReport request(ItemId item, long waitMs) {
    return await(
            bed.vertx()
                .eventBus()
                .<AuditReport>request(
                    Addresses.AUDIT,
                    new AuditRequest(item, waitMs),
                    new DeliveryOptions().setSendTimeout(25_000)))
        .body();
  }

  private void buy(int users) {
    for (int i = 0; i < users; i++) {
      shop.win("u" + i, 1, 1 + i % 3);
    }
  }

  /** Buyers who are faster than the consumer for ever would test the machine, not the audit. */
  private void awaitRoom() {
    try {
      Await.until(
          ConsumerBed.BOUND,
          "the consumer keeps up",
          () -> shop.logLength(0) + shop.logLength(1) < 1_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private int shardOf(String user) {
    return new UserShards(2).shardOf(new UserId(user));
  }

  private static Finding only(AuditReport report, String promise) {
    return report.findings().stream()
        .filter(finding -> finding.promise().equals(promise))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + promise + " in " + report.findings()));
  }

  @Test
  void auditShouldBeCleanWhenEverythingIsStored() throws InterruptedException {
    buy(20);
    EntryId win = shop.win("ann", 1, 3);
    shop.release("ann", 1, win);
    shop.win("ann", 1, 2);

    AuditReport report = audit(null, 10_000);

    assertThat(report.findings()).isEmpty();
    assertThat(report.clean()).isTrue();
    long units = 39 + 2;
    assertThat(report.items())
        .contains(new ItemTotals(new ItemId(1), 101, 101 - units, units, 0, 22));
  }

  @Test
  void auditShouldCountWhatIsInFlightWhenTheConsumerIsAway() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    buy(30);

    AuditReport report = audit(1L, 0);

    assertThat(report.findings()).isEmpty();
    ItemTotals totals = report.items().get(0);
    assertThat(totals.granted()).isEqualTo(101);
    assertThat(totals.held() + totals.inFlight() + totals.left()).isEqualTo(101);
    assertThat(totals.inFlight()).isGreaterThan(0);
  }

  @Test
  void auditShouldStayCleanWhileBuyersBuyAndGiveBack() throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    CompletableFuture<Void> buyers =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !end.get(); i++) {
                awaitRoom();
                EntryId win = shop.win("b" + i % 40, 2, 1);
                shop.release("b" + i % 40, 2, win);
              }
            });
    try {
      for (int i = 0; i < 10; i++) {
        assertThat(audit(null, 5_000).findings()).isEmpty();
      }
    } finally {
      end.set(true);
      // Fails when they failed.
      buyers.join();
    }
    assertThat(audit(null, 5_000).findings()).isEmpty();
  }

  @Test
  void auditShouldBeCleanWhenAShardWasOpenedAgainWithABacklog() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    buy(30);
    shop.open();

    assertThat(audit(null, 0).findings()).isEmpty();
    consume();
    AuditReport report = audit(null, 10_000);
    assertThat(report.findings()).isEmpty();
    assertThat(report.items()).allMatch(item -> item.inFlight() == 0);
  }

  @Test
  void auditShouldBeCleanWhenReleasesAreNotStoredYet() throws InterruptedException {
    EntryId first = shop.win("ann", 1, 3);
    EntryId second = shop.win("bob", 1, 2);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    await(bed.vertx().undeploy(consumer));
    shop.release("ann", 1, first);
    shop.release("bob", 1, second);

    assertThat(audit(1L, 0).findings()).isEmpty();
  }

  private List<String> usersOf(int shard, int count) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "batch" + i)
        .filter(user -> shardOf(user) == shard)
        .limit(count)
        .toList();
  }

  @Test
  void auditShouldCountTheWinsOfABatchUpToItsPlace() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    shop.buyAll(0, usersOf(0, 12), 1, 2);
    shop.buyAll(0, usersOf(0, 12), 2, 1);

    AuditReport report = audit(null, 0);

    assertThat(report.findings()).isEmpty();
    assertThat(report.items()).extracting(ItemTotals::inFlight).containsExactly(24L, 12L);
  }

  @Test
  void auditShouldFindABatchThatIsGoneFromTheLog() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    shop.buyAll(0, usersOf(0, 4), 1, 1);
    List<EntryId> gone =
        shop.buyAll(0, usersOf(0, 9).subList(4, 9), 1, 2).stream()
            .map(DecidePurchases.Decision::entry)
            .toList();
    shop.buyAll(0, usersOf(0, 12).subList(9, 12), 1, 1);
    for (EntryId place : gone) {
      shop.redis("XDEL", shop.keys(0).log(), place.toString());
    }

    AuditReport report = audit(1L, 0);

    assertThat(only(report, "I1").amount()).isEqualTo(-10);
    assertThat(report.findings())
        .anyMatch(
            finding ->
                finding.promise().equals("I3")
                    && finding.amount() == -5
                    && finding.place().endsWith(":" + gone.get(0).seq()));
  }

  @Test
  void auditShouldFindAnOrderThatDoesNotAgreeWithItsLines() throws InterruptedException {
    buy(6);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE orders SET held_units = 1 WHERE user_id = 'u2'");
    bed.query("UPDATE orders SET quantity = 9 WHERE user_id = 'u1'");

    assertThat(audit(1L, 10_000).findings())
        .extracting(Finding::amount)
        .containsExactlyInAnyOrder(-2L, 7L);
  }

  @Test
  void auditShouldFindACounterOfUnitsOutThatIsOff() throws InterruptedException {
    buy(3);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE items SET units_out = 4 WHERE item_id = 1");

    assertThat(audit(null, 10_000).findings())
        .hasSize(1)
        .allMatch(finding -> finding.detail().contains("units out") && finding.amount() == 4);
  }

  @Test
  void auditShouldLookAtEverySuspect() throws InterruptedException {
    shop.sell(3, 1, 700);
    for (int i = 0; i < 300; i++) {
      shop.win("w" + i, 3, 1);
    }
    assertThat(audit(3L, 10_000).clean()).isTrue();
    bed.query("UPDATE orders SET held_units = 0 WHERE user_id = 'w99'");

    AuditReport report = audit(3L, 10_000);

    assertThat(report.findings()).anyMatch(finding -> finding.place().contains("user w99"));
  }

  @Test
  void auditShouldFindARemovedOrder() throws InterruptedException {
    buy(10);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    EntryId place = shop.win("eve", 1, 2);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("DELETE FROM orders WHERE user_id = 'eve'");

    AuditReport report = audit(1L, 200);

    assertThat(report.clean()).isFalse();
    assertThat(only(report, "I1").amount()).isEqualTo(-2);
    assertThat(report.findings())
        .anyMatch(
            finding ->
                finding.promise().equals("I3")
                    && finding.place().contains("3:" + shardOf("eve"))
                    && finding.place().endsWith(":" + place.seq()))
        .anyMatch(
            finding -> finding.promise().equals("I3") && finding.place().contains("user eve"));
  }

  @Test
  void auditShouldFindAStockKeyThatWasRaised() throws InterruptedException {
    buy(10);
    shop.redis("INCRBY", shop.keys(1).stock(new ItemId(1)), "7");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.clean()).isFalse();
    Finding finding = only(report, "I1");
    assertThat(finding.amount()).isEqualTo(7);
    assertThat(finding.place()).isEqualTo("item 1 shard 3:1");
  }

  @Test
  void auditShouldFindARemovedReceipt() throws InterruptedException {
    buy(10);
    shop.redis("HDEL", shop.keys(shardOf("u4")).receipts(new ItemId(1)), "u4");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.clean()).isFalse();
    Finding finding = only(report, "I2");
    assertThat(finding.amount()).isEqualTo(-2);
    assertThat(finding.place()).contains("user u4").contains("item 1");
  }

  /** Item 3: one unit in shard 0, won; then users of that shard stand in line for it. */
  private List<String> line(int length) {
    shop.sell(3, 1, 2);
    List<String> users = usersOf(0, length + 1);
    shop.win(users.get(0), 3, 1);
    users.subList(1, length + 1).forEach(user -> assertThat(shop.join(user, 3)).isTrue());
    return users;
  }

  @Test
  void auditShouldFindWhoStandsInOneLineOnly() throws InterruptedException {
    List<String> users = line(3);
    assertThat(audit(3L, 10_000).findings()).isEmpty();

    shop.redis("ZREM", shop.keys(0).waitlist(new ItemId(3)), users.get(2));
    shop.redis("ZADD", shop.keys(0).waitlist(new ItemId(3)), "9", "eve");
    AuditReport report = audit(3L, 10_000);

    assertThat(report.findings())
        .extracting(finding -> finding.promise() + " " + finding.place() + " " + finding.amount())
        .containsExactlyInAnyOrder(
            "I4 item 3 shard 3:0 user " + users.get(2) + " -1", "I4 item 3 shard 3:0 user eve 1");
  }

  @Test
  void auditShouldNotAccuseWhoComesAndGoesAllTheTime() throws Exception {
    List<String> users = line(4);
    AtomicBoolean end = new AtomicBoolean();
    CompletableFuture<Void> crowd =
        CompletableFuture.runAsync(
            () -> {
              while (!end.get()) {
                for (String user : users.subList(1, 4)) {
                  awaitRoom();
                  shop.leave(user, 3);
                  shop.join(user, 3);
                }
              }
            });
    try {
      for (int round = 0; round < 10; round++) {
        assertThat(audit(3L, 10_000).findings()).isEmpty();
      }
    } finally {
      end.set(true);
    }
    crowd.join();
    assertThat(audit(3L, 10_000).findings()).isEmpty();
  }

  @Test
  void auditShouldExcuseWhoJoinedByADeadLetter() throws InterruptedException {
    List<String> users = line(1);
    audit(3L, 10_000);
    await(bed.vertx().undeploy(consumer));
    String user = usersOf(0, 3).get(2);
    shop.join(user, 3);
    long seq = Long.parseLong(shop.redis("HGET", shop.keys(0).head(), "seq").strip());
    shop.redis("XDEL", shop.keys(0).log(), shop.epoch(0) + "-" + seq);
    bed.query(
        "INSERT INTO dead_letters (region, shard, epoch, seq, reason, detail, payload, user_id,"
            + " state, created_at_ms, closed_at_ms) VALUES (3, 0, "
            + shop.epoch(0)
            + ", "
            + seq
            + ", 'ERROR', '', '{\"k\":\"join\",\"t\":\"1\",\"i\":\"3\",\"u\":\""
            + user
            + "\"}', '', 'OPEN', 1, 0)");
    consume();

    assertThat(users).doesNotContain(user);
    assertThat(audit(3L, 10_000).findings()).extracting(Finding::promise).containsOnly("I3");
    bed.query("UPDATE dead_letters SET state = 'CLOSED'");
    assertThat(audit(null, 10_000).findings()).isEmpty();
  }

  @Test
  void auditShouldNotJudgeTheLineWhileTheConsumerIsBehind() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    line(3);

    assertThat(audit(3L, 0).findings()).isEmpty();
    consume();
    assertThat(audit(3L, 10_000).findings()).isEmpty();
    assertThat(bed.number("SELECT COUNT(*) FROM waitlist")).isEqualTo(3);
  }

  @Test
  void auditShouldStayCleanWhilePeopleWaitAndAreLetIn() throws Exception {
    List<String> users = line(8);
    Map<String, EntryId> wins = new HashMap<>();
    AtomicBoolean end = new AtomicBoolean();
    CompletableFuture<Void> crowd =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !end.get(); i++) {
                awaitRoom();
                String user = users.get(i % users.size());
                DecidePurchases.Decision has = shop.buy(user, 3, 1);
                if (has.status() == PurchaseStatus.REPLAY || has.status() == PurchaseStatus.WIN) {
                  // He has a unit, or was let in: a click without a key says which win it was.
                  wins.put(user, has.entry());
                  shop.release(user, 3, has.entry());
                } else if (i % 5 == 0) {
                  shop.leave(user, 3);
                } else {
                  joinUnlessUnitsAreLeft(user);
                }
              }
            });
    try {
      for (int i = 0; i < 10; i++) {
        assertThat(audit(3L, 5_000).findings()).isEmpty();
      }
    } finally {
      end.set(true);
      // Fails when they failed.
      crowd.join();
    }
    assertThat(audit(3L, 10_000).findings()).isEmpty();
    assertThat(wins).isNotEmpty();
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE promoted = 1")).isPositive();
    assertAddsAgree();
  }

  private void joinUnlessUnitsAreLeft(String user) {
    String stock = shop.redis("GET", shop.keys(0).stock(new ItemId(3))).strip();
    if (stock.equals("0")) {
      shop.join(user, 3);
    }
  }

  /** Written anew, the shard would say the same of how often units came. */
  private void assertAddsAgree() throws InterruptedException {
    long epoch = shop.epoch(0);
    String adds = shop.redis("HGET", shop.keys(0).item(new ItemId(3)), "adds").strip();
    ShardSnapshot snapshot =
        await(
            new ShardSnapshots(bed.database())
                .snapshot(new ShardSnapshotQuery(ConsumerBed.REGION, 0, epoch)));
    assertThat(snapshot.items())
        .filteredOn(item -> item.definition().id().value() == 3)
        .extracting(item -> Long.toString(item.adds()))
        .containsExactly(adds);
  }

  @Test
  void auditShouldFindAStockKeyThatIsGone() throws InterruptedException {
    buy(3);
    shop.redis("DEL", shop.keys(0).stock(new ItemId(1)));

    assertThat(only(audit(1L, 10_000), "I1").detail()).contains("missing");
  }

  @Test
  void auditShouldFindACounterThatIsOff() throws InterruptedException {
    buy(3);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE items SET held_units = held_units + 1 WHERE item_id = 1");
    bed.query("UPDATE holdings SET units = units + 1 WHERE user_id = 'u1'");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.findings())
        .hasSize(2)
        .allMatch(finding -> finding.promise().equals("I1") && finding.amount() == 1);
  }

  @Test
  void auditShouldNameAnOpenDeadLetter() throws InterruptedException {
    bed.query("UPDATE items SET units_in = 1 WHERE item_id = 1");
    shop.win("ann", 1, 3);

    AuditReport report = audit(1L, 10_000);

    assertThat(report.findings())
        .anyMatch(finding -> finding.promise().equals("I3") && finding.detail().contains("GRANT"));
  }

  @Test
  void queriesShouldSayTheSameInPagesOfAnySize() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      EntryId win = shop.win("p" + i, 1, 1 + i % 3);
      if (i % 5 == 0) {
        shop.release("p" + i, 1, win);
      }
    }
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE orders SET quantity = quantity + 1 WHERE user_id IN ('p3', 'p11', 'p19')");
    bed.query("UPDATE holdings SET units = units + 1 WHERE user_id IN ('p1', 'p19')");
    bed.query("DELETE FROM holdings WHERE user_id = 'p9'");
    bed.query("UPDATE order_lines SET limit_per_user = 1 WHERE user_id = 'p2'");
    EntryId end = new EntryId(EntryId.MAX_EPOCH, EntryId.MAX_SEQ);
    AuditQueries whole = new AuditQueries(bed.database());
    ItemBooks.Books books = await(whole.books(new ItemId(1)));
    assertThat(books.wrongHoldings())
        .extracting(pair -> pair.user().value())
        .containsExactly("p1", "p19", "p9");
    assertThat(books.counters().held()).isEqualTo(books.counters().heldSummed());
    assertThat(books.overLimit())
        .containsExactly(new AuditQueries.UserPair(new UserId("p2"), 3, 1));

    for (int size : List.of(1, 2, 7)) {
      AuditQueries paged = new AuditQueries(bed.database(), size);
      long broken = 0;
      for (int shard = 0; shard < 2; shard++) {
        ShardRef ref = new ShardRef(ConsumerBed.REGION, shard);
        assertThat(await(paged.sums(ref, end, List.of())))
            .isEqualTo(await(whole.sums(ref, end, List.of())));
        broken += await(paged.brokenOrders(ref)).size();
      }
      assertThat(broken).isEqualTo(3);
      assertThat(await(paged.books(new ItemId(1)))).isEqualTo(await(whole.books(new ItemId(1))));
    }
  }

  /** Units go from shard 0 to shard 1; the ledger knows, shard 1 does not. */
  private Move sent(long units) {
    return await(bed.transfers().store(shop.send(0, 1, units, 1))).move();
  }

  private ItemTotals totals(AuditReport report) {
    assertThat(report.findings()).isEmpty();
    ItemTotals totals = report.items().get(0);
    assertThat(totals.left() + totals.held() + totals.inFlight() + totals.betweenShards())
        .isEqualTo(totals.granted());
    return totals;
  }

  @Test
  void auditShouldBeCleanWhileUnitsAreBetweenShards() throws InterruptedException {
    buy(10);
    Move move = sent(7);
    assertThat(totals(audit(1L, 10_000)).betweenShards()).isEqualTo(7);
    assertThat(totals(audit(1L, 10_000)).granted()).isEqualTo(101);

    shop.apply(move);

    assertThat(totals(audit(1L, 10_000)).betweenShards()).isZero();
  }

  @Test
  void auditShouldCountTransfersWhoseTurnIsStillToCome() throws InterruptedException {
    await(bed.vertx().undeploy(consumer));
    buy(5);
    shop.apply(sent(4));
    // The engine died before the ledger heard of these.
    shop.send(1, 1, 3, 0);

    assertThat(totals(audit(1L, 0)).betweenShards()).isEqualTo(3);
    assertThat(totals(audit(1L, 0)).granted()).isEqualTo(101);
    consume();
    assertThat(totals(audit(1L, 10_000)).betweenShards()).isEqualTo(3);
  }

  @Test
  void auditShouldStayCleanWhileUnitsMoveAndBuyersBuy() throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    CompletableFuture<Void> engine =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !end.get(); i++) {
                awaitRoom();
                EntryId win = shop.win("b" + i % 40, 1, 1);
                int from = i % 2;
                shop.apply(
                    await(bed.transfers().store(shop.send(from, 1, 1 + i % 3, 1 - from))).move());
                shop.release("b" + i % 40, 1, win);
              }
            });
    try {
      for (int i = 0; i < 8; i++) {
        assertThat(audit(null, 5_000).findings()).isEmpty();
      }
    } finally {
      end.set(true);
      // Fails when they failed.
      engine.join();
    }
    assertThat(totals(audit(1L, 10_000)).betweenShards()).isZero();
  }

  @Test
  void auditShouldFindATransferThatNeverArrives() throws InterruptedException {
    sent(6);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("UPDATE moves SET created_at_ms = created_at_ms - 60000 WHERE kind = 'TRANSFER'");

    AuditReport report = audit(1L, 10_000);

    assertThat(report.findings()).hasSize(1);
    assertThat(only(report, "I4").amount()).isEqualTo(-6);
    assertThat(only(report, "I4").place()).isEqualTo("item 1 shard 3:1");
  }

  @Test
  void auditShouldFindALostTransfer() throws InterruptedException {
    sent(6);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query("DELETE FROM moves WHERE kind = 'TRANSFER'");

    AuditReport report = audit(null, 10_000);
    assertThat(report.findings()).hasSize(1);
    assertThat(only(report, "I1").amount()).isEqualTo(-6);

    bed.query("DELETE FROM transfers");
    // Now the sending shard has fewer units than anything explains.
    assertThat(only(audit(1L, 10_000), "I1").place()).isEqualTo("item 1 shard 3:0");
    assertThat(only(audit(1L, 10_000), "I1").amount()).isEqualTo(-6);
  }

  @Test
  void auditShouldFindADoubledTransfer() throws InterruptedException {
    Move move = sent(6);
    shop.apply(move);
    assertThat(audit(1L, 10_000).clean()).isTrue();
    bed.query(
        "INSERT INTO moves (item_id, region, shard, number, kind, units, request_id, state,"
            + " created_at_ms, applied_epoch, applied_seq) VALUES (1, 3, 1, "
            + (move.number() + 1)
            + ", 'TRANSFER', 6, '', 'PENDING', 9000000000000, 0, 0)");
    shop.apply(new Move(move.item(), 1, move.number() + 1, Move.Kind.TRANSFER, 6));

    AuditReport report = audit(1L, 10_000);

    assertThat(only(report, "I1").amount()).isEqualTo(6);
    assertThat(only(report, "I1").detail()).contains("between shards");
  }

  @Test
  void auditShouldBeCleanWhenUnitsAreTakenAndHeldBack() throws InterruptedException {
    buy(6);
    changeAndApply("w", ItemChange.Action.WITHDRAW, 20);
    changeAndApply("c", ItemChange.Action.CAP, 50);

    ItemTotals totals = totals(audit(1L, 10_000));

    assertThat(totals.granted()).isEqualTo(50);
    bed.query("UPDATE items SET reserve = reserve + 2 WHERE item_id = 1");
    assertThat(only(audit(1L, 10_000), "I1").detail()).contains("reserve");
  }

  private void changeAndApply(String request, ItemChange.Action action, long units) {
    ItemChange change =
        new ItemChange(request, "op", new ItemId(1), action, ItemChange.Values.ofUnits(units))
            .over(2, List.of());
    await(bed.items().change(change)).record().outstanding().stream()
        .filter(move -> !move.kind().isIn())
        .forEach(shop::take);
    try {
      Await.until(
          ConsumerBed.BOUND, "it is settled", () -> await(bed.items().change(change)).settled());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void auditShouldFindAUserBeyondTheLimitOfAGroup() throws InterruptedException {
    bed.query("UPDATE items SET group_id = 'shirt', group_limit = 4");
    bed.query("INSERT INTO item_groups VALUES ('shirt', 4, 0)");
    shop.win("ann", 1, 2);
    shop.win("ann", 2, 2);
    assertThat(audit(null, 10_000).clean()).isTrue();

    assertThat(shop.buyMore("ann", 2, 1, "more").status()).isEqualTo(PurchaseStatus.WIN);

    AuditReport report = audit(1L, 10_000);
    assertThat(report.findings()).hasSize(1);
    assertThat(only(report, "I2").amount()).isEqualTo(1);
    assertThat(only(report, "I2").place()).isEqualTo("group shirt user ann");

    // What Redis forgets with an archived item, it lets users win again.
    bed.query("UPDATE items SET state = 'ARCHIVED' WHERE item_id = 2");
    assertThat(audit(1L, 10_000).findings()).isEmpty();
  }

  @Test
  void auditShouldNotMindALimitThatWasRaisedAndLowered() throws InterruptedException {
    shop.win("ann", 1, 3);
    limit("l1", 5);
    assertThat(shop.buyMore("ann", 1, 2, "more").status()).isEqualTo(PurchaseStatus.WIN);
    limit("l2", 1);
    assertThat(shop.buyMore("ann", 1, 1, "again").status()).isEqualTo(PurchaseStatus.LIMIT);
    shop.win("bob", 1, 1);

    assertThat(audit(1L, 10_000).findings()).isEmpty();
  }

  private void limit(String request, int limit) {
    ItemRecord record =
        await(
                bed.items()
                    .change(
                        new ItemChange(
                                request,
                                "op",
                                new ItemId(1),
                                ItemChange.Action.SET_LIMIT,
                                ItemChange.Values.ofLimit(limit))
                            .over(2, List.of())))
            .record();
    shop.put(0, record, record.generation(), record.state());
    shop.put(1, record, record.generation(), record.state());
  }

  @Test
  void auditShouldBeCleanWhenAnItemIsArchived() throws InterruptedException {
    buy(10);
    assertThat(audit(null, 10_000).clean()).isTrue();
    // Orders that may still end keep their item.
    bed.query("UPDATE orders SET status = 'PAID'");
    bed.query("UPDATE items SET ends_at_ms = 1 WHERE item_id = 1");
    assertThat(await(new ItemArchive(bed.database(), ConsumerBed.REGION, 0).round())).isEqualTo(1);
    ItemRecord record = await(bed.items().query(new ItemQuery(new ItemId(1)))).items().get(0);

    shop.remove(0, record);
    assertThat(audit(null, 10_000).findings()).isEmpty();
    shop.remove(1, record);

    AuditReport report = audit(null, 10_000);
    assertThat(report.findings()).isEmpty();
    assertThat(report.items()).extracting(ItemTotals::item).containsExactly(new ItemId(2));
  }
}

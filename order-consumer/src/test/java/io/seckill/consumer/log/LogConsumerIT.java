package io.seckill.consumer.log;

import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Received;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.testkit.Await;
import io.seckill.testkit.SqlHold;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The consumer on a real log: what it stores, and what it leaves in Redis. */
class LogConsumerIT {

  private EmbeddedRedis redis;
  private ConsumerBed bed;
  private Shop shop;
  private final List<String> deployed = new ArrayList<>();

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start(spec -> spec.withAppendonly(Appendonly.ALWAYS));
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase(), overrides());
    shop = new Shop(bed, redis).open();
  }

  private Map<String, String> overrides() {
    Map<String, String> overrides = new HashMap<>();
    overrides.put("redis.uri", redis.uri());
    overrides.put("redis.shards", "2");
    overrides.put("consumer.batchSize", "50");
    overrides.put("consumer.blockMs", "1500");
    overrides.put("consumer.claimIdleMs", "2000");
    overrides.put("mysql.statementTimeoutMs", "1800");
    overrides.put("mysql.connectTimeoutMs", "1000");
    return overrides;
  }

  @AfterEach
  void close() {
    bed.close();
    redis.close();
  }

  private void consume(String node) {
    consume(node, Map.of());
  }

  private void consume(String node, Map<String, String> more) {
    Map<String, String> overrides = overrides();
    overrides.put("node.id", node);
    overrides.putAll(more);
    deployed.add(
        await(
            bed.vertx()
                .deployVerticle(
                    new LogConsumerVerticle(
                        ConsumerBed.config(bed.address(), overrides),
                        bed.metrics(),
                        List.of(0, 1)))));
  }

  private void awaitStored(long orders) throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        orders + " orders are stored",
        () -> bed.number("SELECT COUNT(*) FROM orders") == orders);
  }

  private void awaitDrained() throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        "the logs are trimmed",
        () -> shop.logLength(0) == 0 && shop.logLength(1) == 0);
  }

  private void buy(int users, String prefix) {
    for (int i = 0; i < users; i++) {
      shop.win(prefix + i, 1, 1);
    }
  }

  @Test
  void SC_07_consumerShouldStoreEverythingAndLeaveAnEmptyLog() throws InterruptedException {
    shop.sell(1, 2, 400);
    consume("a");
    buy(120, "u");

    awaitStored(120);
    awaitDrained();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(120);
    assertThat(bed.number("SELECT COUNT(*) FROM moves WHERE state = 'APPLIED'")).isEqualTo(2);
  }

  @Test
  void SC_08_consumersShouldStoreEachWinOnceWhenThereAreSeveral() throws InterruptedException {
    shop.sell(1, 2, 1_000);
    consume("a");
    consume("b");
    consume("c");
    buy(300, "u");

    awaitStored(300);
    awaitDrained();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(300);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  @Test
  void SC_03_consumerShouldStoreWhatADeadOneHadRead() throws InterruptedException {
    shop.sell(1, 2, 100);
    buy(40, "u");
    for (int shard = 0; shard < 2; shard++) {
      shop.readAs(shard, "dead");
    }

    consume("alive");

    awaitStored(40);
    awaitDrained();
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  @Test
  void SC_03_consumerShouldStoreWhatItHadReadBeforeItWasKilled() throws InterruptedException {
    shop.sell(1, 2, 100);
    buy(40, "u");
    for (int shard = 0; shard < 2; shard++) {
      shop.readAs(shard, "a");
    }

    consume("a");

    awaitStored(40);
    awaitDrained();
  }

  @Test
  void SC_01_consumerShouldMakeTheGroupAgainWhenItIsGone() throws InterruptedException {
    shop.sell(1, 2, 100);
    consume("a");
    buy(10, "u");
    awaitStored(10);
    for (int shard = 0; shard < 2; shard++) {
      shop.redis("XGROUP", "DESTROY", shop.keys(shard).log(), "orders");
    }

    buy(10, "v");

    awaitStored(20);
    awaitDrained();
  }

  @Test
  void SC_05_consumerShouldLeaveALetterWhenAPendingEntryIsDeleted() throws InterruptedException {
    shop.sell(1, 2, 100);
    buy(40, "u");
    String log = shop.keys(0).log();
    shop.readAs(0, "dead");
    shop.redis("XDEL", log, shop.epoch(0) + "-6");

    consume("a");

    awaitStored(39);
    awaitDrained();
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters WHERE seq = 6")).isEqualTo(1);
    assertThat(bed.registry().get("seckill.consumer.incidents").counters())
        .anyMatch(counter -> counter.count() > 0);
  }

  @Test
  void SC_05_consumerShouldLeaveALetterWhenAnEntryIsDeletedBeforeItIsRead()
      throws InterruptedException {
    shop.sell(1, 2, 100);
    buy(40, "u");
    shop.redis("XDEL", shop.keys(0).log(), shop.epoch(0) + "-6");

    consume("a");

    awaitStored(39);
    awaitDrained();
    assertThat(bed.query("SELECT reason FROM dead_letters").get(0).getString(0))
        .isEqualTo("MISSING");
  }

  @Test
  void SC_05_consumerShouldMissALostTailAlsoWhenNothingFollows() throws InterruptedException {
    shop.sell(1, 2, 300);
    consume("a");
    buy(10, "u");
    awaitStored(10);
    awaitDrained();
    await(bed.vertx().undeploy(deployed.get(0)));
    // More than one batch, in both shards.
    buy(240, "v");
    for (int shard = 0; shard < 2; shard++) {
      shop.redis("DEL", shop.keys(shard).log());
    }

    consume("a");

    Await.until(
        ConsumerBed.BOUND,
        "every number is stored",
        () -> bed.number("SELECT COUNT(*) FROM dead_letters WHERE reason = 'MISSING'") == 240);
    Await.until(
        ConsumerBed.BOUND,
        "every number is counted",
        () ->
            bed.registry()
                    .get("seckill.consumer.incidents")
                    .tag("kind", "missing")
                    .counter()
                    .count()
                == 240);
  }

  @Test
  void SC_05_consumerShouldMissALostTailOfAClosedEpoch() throws InterruptedException {
    shop.sell(1, 2, 300);
    buy(20, "u");
    for (int shard = 0; shard < 2; shard++) {
      shop.redis("DEL", shop.keys(shard).log());
    }
    shop.open();

    consume("a");

    // Twenty wins, two states and a move in each shard.
    Await.until(
        ConsumerBed.BOUND,
        "every number is stored",
        () -> bed.number("SELECT COUNT(*) FROM dead_letters WHERE reason = 'MISSING'") == 26);
  }

  @Test
  void SC_09_consumerShouldPassAnEntryMadeByHandFarAhead() throws InterruptedException {
    shop.sell(1, 2, 300);
    buy(20, "u");
    shop.redis("XADD", shop.keys(0).log(), shop.epoch(0) + "-9000000", "k", "win");

    consume("a");

    awaitStored(20);
    awaitDrained();
    assertThat(bed.query("SELECT reason, state FROM dead_letters"))
        .extracting(row -> row.getString(0) + " " + row.getString(1))
        .containsExactly("FOREIGN FOREIGN");
  }

  @Test
  void SC_09_consumerShouldPassAPoisonEntry() throws InterruptedException {
    shop.sell(1, 2, 100);
    buy(40, "u");
    String log = shop.keys(0).log();
    long next = Long.parseLong(shop.redis("HGET", shop.keys(0).head(), "seq").strip()) + 1;
    shop.redis("XADD", log, shop.epoch(0) + "-" + next, "k", "win", "x", "y".repeat(5_000_000));
    shop.redis("HSET", shop.keys(0).head(), "seq", Long.toString(next));
    buy(40, "v");

    consume("a");

    awaitStored(80);
    awaitDrained();
    assertThat(bed.query("SELECT reason FROM dead_letters").get(0).getString(0))
        .isEqualTo("MALFORMED");
  }

  private List<String> records(int users, String prefix) {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      records.add(Shop.record(prefix + i, 1));
    }
    return records;
  }

  private String letters() {
    return bed.query("SELECT seq, reason FROM dead_letters ORDER BY seq").stream()
        .map(row -> row.getLong(0) + " " + row.getString(1))
        .collect(Collectors.joining(", "));
  }

  @Test
  void SC_07_consumerShouldStoreEachWinOfABatch() throws InterruptedException {
    shop.sell(1, 2, 400);
    consume("a");
    EntryId last = shop.writeWins(0, records(120, "u"));
    shop.win("ann", 1, 1);
    shop.writeWins(0, records(1, "single"));

    awaitStored(122);
    awaitDrained();
    assertThat(
            bed.number(
                "SELECT seq FROM orders WHERE shard = 0 AND user_id = 'u7' AND held_units = 1"))
        .isEqualTo(last.seq() - 112);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
    assertThat(bed.registry().get("seckill.consumer.batch.entries").summary().max())
        .isLessThanOrEqualTo(50);
  }

  @Test
  void SC_08_consumerShouldGoOnInTheMiddleOfABatchThatADeadOneHadBegun()
      throws InterruptedException {
    shop.sell(1, 2, 400);
    consume("a");
    awaitDrained();
    await(bed.vertx().undeploy(deployed.get(0)));
    List<String> records = records(120, "u");
    EntryId last = shop.writeWins(0, records);
    shop.readAs(0, "dead");
    Map<String, String> fields = Map.of("t", "1764430000000", "wins", String.join(";", records));
    LogStore store =
        new LogStore(
            bed.vertx(),
            new BatchStore(bed.database(), bed.news()),
            bed.metrics(),
            ConsumerBed.patience(100));
    await(
        store.store(
            new ShardRef(ConsumerBed.REGION, 0),
            LogStore.runs(Received.read(last.toString(), fields), 50).get(0)));
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isEqualTo(50);

    consume("b");

    awaitStored(120);
    awaitDrained();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(120);
    // More when b, while it waits to take the entry over, has helped with another part.
    assertThat(bed.registry().get("seckill.consumer.repeated").counter().count())
        .isGreaterThanOrEqualTo(50);
    assertThat(bed.registry().get("seckill.consumer.claimed").counter().count()).isEqualTo(120);
  }

  @Test
  void SC_07_consumerShouldKeepABatchInTheLogUntilItsLastWinIsStored() throws InterruptedException {
    shop.sell(1, 3, 400);
    consume("a");
    shop.writeWins(0, records(1, "late"));
    awaitStored(1);
    awaitDrained();
    List<String> records = records(80, "u");
    records.set(70, Shop.record("late0", 1));
    try (SqlHold hold =
        SqlHold.of(
            bed.address(),
            "SELECT * FROM holdings WHERE item_id = 1 AND user_id = 'late0' FOR UPDATE")) {
      shop.writeWins(0, records);

      awaitStored(51);
      assertThat(shop.logLength(0)).isEqualTo(1);
      assertThat(hold).isNotNull();
    }

    awaitStored(81);
    awaitDrained();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(81);
  }

  @Test
  void SC_08_consumersShouldShareBatches() throws InterruptedException {
    shop.sell(1, 2, 4_000);
    for (int shard = 0; shard < 2; shard++) {
      shop.writeWins(shard, records(130, "first" + shard + "-"));
      shop.readAs(shard, "dead");
    }
    consume("a");
    consume("b");
    for (int i = 0; i < 20; i++) {
      shop.writeWins(i % 2, records(60, "then" + i + "-"));
      shop.win("between" + i, 1, 1);
    }

    awaitStored(1_480);
    awaitDrained();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(1_480);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  @Test
  void SC_09_consumerShouldPassABrokenRecordOfABatch() throws InterruptedException {
    shop.sell(1, 2, 100);
    List<String> records = records(30, "u");
    records.set(11, "u11|-||1:0:9900:CNY:1:3:900000");
    records.set(29, "no record");
    EntryId last = shop.writeWins(0, records);

    consume("a");

    awaitStored(28);
    awaitDrained();
    assertThat(letters()).isEqualTo((last.seq() - 18) + " MALFORMED, " + last.seq() + " MALFORMED");
  }

  @Test
  void SC_09_consumerShouldMissTheNumbersOfAnEntryThatCannotBeToldApart()
      throws InterruptedException {
    shop.sell(1, 2, 100);
    long before = shop.writeWins(0, records(2, "u")).seq();
    String log = shop.keys(0).log();
    shop.redis(
        "XADD", log, shop.epoch(0) + "-" + (before + 3), "t", "1", "wins", "a;b;c", "x", "y");
    shop.redis("HSET", shop.keys(0).head(), "seq", Long.toString(before + 3));
    shop.writeWins(0, records(2, "v"));

    consume("a");

    awaitStored(4);
    awaitDrained();
    assertThat(letters())
        .isEqualTo(
            (before + 1)
                + " MISSING, "
                + (before + 2)
                + " MISSING, "
                + (before + 3)
                + " MALFORMED");
  }

  @Test
  void SC_05_consumerShouldLeaveALetterForEachWinOfADeletedBatch() throws InterruptedException {
    shop.sell(1, 2, 200);
    shop.writeWins(0, records(3, "u"));
    EntryId first = shop.writeWins(0, records(4, "v"));
    EntryId second = shop.writeWins(0, records(60, "w"));
    shop.writeWins(0, records(5, "x"));
    shop.readAs(0, "a");
    shop.redis("XDEL", shop.keys(0).log(), first.toString(), second.toString());

    consume("a");

    awaitStored(8);
    awaitDrained();
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters WHERE reason = 'DELETED'"))
        .isEqualTo(64);
    assertThat(bed.number("SELECT MIN(seq) FROM dead_letters")).isEqualTo(first.seq() - 3);
    assertThat(bed.number("SELECT MAX(seq) FROM dead_letters")).isEqualTo(second.seq());
    assertThat(
            bed.registry()
                .get("seckill.consumer.incidents")
                .tag("kind", "deleted")
                .counter()
                .count())
        .isEqualTo(64);
  }

  @Test
  void SC_05_consumerShouldMissEachWinOfABatchThatIsDeletedBeforeItIsRead()
      throws InterruptedException {
    shop.sell(1, 2, 200);
    shop.writeWins(0, records(3, "u"));
    EntryId gone = shop.writeWins(0, records(4, "v"));
    shop.writeWins(0, records(5, "x"));
    shop.redis("XDEL", shop.keys(0).log(), gone.toString());

    consume("a");

    awaitStored(8);
    awaitDrained();
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters WHERE reason = 'MISSING'"))
        .isEqualTo(4);
    assertThat(bed.number("SELECT MAX(seq) FROM dead_letters")).isEqualTo(gone.seq());
  }

  @Test
  void SC_04_consumerShouldStoreABacklogOfLargeBatchesInTransactionsOfItsOwnSize()
      throws InterruptedException {
    shop.sell(1, 2, 100_000);
    for (int i = 0; i < 100; i++) {
      shop.writeWins(0, records(200, "u" + i + "-"));
    }

    consume("a", Map.of("consumer.batchSize", "300"));

    awaitStored(20_000);
    awaitDrained();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(20_000);
    assertThat(bed.registry().get("seckill.consumer.batch.entries").summary().max())
        .isLessThanOrEqualTo(300);
  }

  @Test
  void SC_12_consumerShouldStopAtOnceWhileItWaits()
      throws InterruptedException, ExecutionException {
    shop.sell(1, 2, 100);
    consume("a", Map.of("consumer.claimIdleMs", "60000", "consumer.blockMs", "10000"));
    buy(10, "u");
    awaitStored(10);
    awaitDrained();

    Await.result(
        Duration.ofSeconds(8),
        "the end of a read that would wait for 10 s",
        bed.vertx().undeploy(deployed.get(0)));

    buy(10, "v");
    assertThat(bed.number("SELECT COUNT(*) FROM orders")).isEqualTo(10);
    consume("a");
    awaitStored(20);
  }

  @Test
  void RF_06_consumerShouldGoOnWhenRedisIsRestartedAndTheShardOpenedAgain()
      throws InterruptedException {
    shop.sell(1, 2, 100);
    consume("a");
    buy(10, "u");
    awaitStored(10);
    redis.kill();
    redis.restart();
    shop.close();
    shop = new Shop(bed, redis).open();

    buy(10, "v");

    awaitStored(20);
    awaitDrained();
    assertThat(bed.number("SELECT COUNT(*) FROM orders WHERE held_units = 1")).isEqualTo(20);
  }

  @Test
  void metricsShouldTellWhatWasStored() throws InterruptedException {
    shop.sell(1, 2, 100);
    consume("a");
    buy(30, "u");
    awaitStored(30);

    Await.until(
        ConsumerBed.BOUND,
        "the counter has it",
        () -> bed.registry().get("seckill.orders.stored").counter().count() == 30);
  }
}

package io.seckill.consumer.log;

import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
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

  @Test
  void SC_12_consumerShouldStopAtOnceWhileItWaits()
      throws InterruptedException, ExecutionException {
    shop.sell(1, 2, 100);
    consume("a", Map.of("consumer.claimIdleMs", "60000", "consumer.blockMs", "10000"));
    buy(10, "u");
    awaitStored(10);
    awaitDrained();

    Await.result(
        Duration.ofSeconds(3),
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

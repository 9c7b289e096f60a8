package io.seckill.consumer.log;

import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.SqlHold;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How fast a log is stored, what tells of it, and whose names stay in its group. */
class LogProgressIT {

  private static final int SHARDS = 2;

  private EmbeddedRedis redis;
  private ConsumerBed bed;
  private Shop shop;

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start();
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase(), overrides());
    shop = new Shop(bed, redis).open();
  }

  private Map<String, String> overrides() {
    Map<String, String> overrides = new HashMap<>();
    overrides.put("redis.uri", redis.uri());
    overrides.put("redis.shards", Integer.toString(SHARDS));
    overrides.put("consumer.blockMs", "200");
    overrides.put("consumer.claimIdleMs", "1000");
    overrides.put("mysql.statementTimeoutMs", "900");
    overrides.put("mysql.connectTimeoutMs", "900");
    return overrides;
  }

  @AfterEach
  void close() {
    bed.close();
    redis.close();
  }

  private String consume(String node, Map<String, String> more) {
    Map<String, String> overrides = overrides();
    overrides.put("node.id", node);
    overrides.putAll(more);
    return await(
        bed.vertx()
            .deployVerticle(
                new LogConsumerVerticle(
                    ConsumerBed.config(bed.address(), overrides), bed.metrics(), List.of(0, 1))));
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      String told =
          shop.redis(
              "EVAL",
              "local names = '' "
                  + "for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], 'orders'))"
                  + " do names = names .. consumer[2] .. ' ' end return names",
              "1",
              shop.keys(shard).log());
      names.addAll(List.of(told.strip().split(" ")));
    }
    return names;
  }

  private void awaitStored(long orders) throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        orders + " orders are stored",
        () -> bed.number("SELECT COUNT(*) FROM orders") == orders);
  }

  private double gauge(String name) {
    return bed.registry().get("seckill.consumer." + name).gauge().value();
  }

  private List<String> records(int users, String prefix) {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      records.add(Shop.record(prefix + i, 1));
    }
    return records;
  }

  @Test
  void SC_11_restartsUnderNewNamesShouldLeaveNoNameAndLoseNoEntry() throws InterruptedException {
    shop.sell(1, 2, 10_000);
    consume("steady", Map.of());
    long wins = 0;
    for (int i = 0; i < 20; i++) {
      String pod = consume("pod-" + i, Map.of());
      for (int user = 0; user < 10; user++) {
        shop.win("p" + i + "-" + user, 1, 1);
        wins++;
      }
      // With entries in flight, whoever has them.
      await(bed.vertx().undeploy(pod));
    }

    awaitStored(wins);
    Await.until(ConsumerBed.BOUND, "one name is left", () -> names().equals(Set.of("steady")));
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(wins);
  }

  @Test
  void SC_11_namesOfTheDeadShouldGoWhenOthersHaveWhatTheyHeld() throws InterruptedException {
    shop.sell(1, 2, 10_000);
    for (int i = 0; i < 20; i++) {
      for (int user = 0; user < 10; user++) {
        shop.win("d" + i + "-" + user, 1, 1);
      }
      for (int shard = 0; shard < SHARDS; shard++) {
        shop.readAs(shard, "dead-" + i);
      }
    }
    assertThat(names()).hasSize(20);

    consume("steady", Map.of());

    awaitStored(200);
    Await.until(ConsumerBed.BOUND, "one name is left", () -> names().equals(Set.of("steady")));
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  @Test
  void DB_08_storingShouldKeepToItsPaceAndTheRestShouldWaitInRedis() throws InterruptedException {
    int perSecond = 200;
    shop.sell(1, 2, 10_000);
    for (int i = 0; i < 10; i++) {
      shop.writeWins(i % SHARDS, records(100, "u" + i + "-"));
    }

    long beganNanos = System.nanoTime();
    consume("steady", Map.of("consumer.writesPerSecond", Integer.toString(perSecond)));
    Await.until(
        ConsumerBed.BOUND,
        "all is stored",
        () -> {
          long stored = bed.number("SELECT COUNT(*) FROM orders");
          double seconds = (System.nanoTime() - beganNanos) / 1e9;
          // What has passed, and the one run with which a pause ends.
          assertThat(stored).isLessThanOrEqualTo((long) (seconds * perSecond) + perSecond);
          if (stored > 0 && stored < 600) {
            assertThat(shop.logLength(0) + shop.logLength(1)).isPositive();
          }
          return stored == 1_000;
        });
    Await.until(
        ConsumerBed.BOUND,
        "the logs are trimmed",
        () -> shop.logLength(0) == 0 && shop.logLength(1) == 0);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
    assertThat(bed.registry().get("seckill.consumer.claimed").counter().count()).isZero();
  }

  @Test
  void metricsShouldTellOfABacklogWhileNothingCanBeStored() throws InterruptedException {
    shop.sell(1, 2, 10_000);
    consume("steady", Map.of("mysql.statementTimeoutMs", "500"));
    shop.win("first", 1, 1);
    awaitStored(1);

    // Nobody can store an order of the item.
    try (SqlHold hold = SqlHold.of(bed.address(), "SELECT * FROM shards FOR UPDATE")) {
      shop.writeWins(0, records(100, "u"));
      shop.writeWins(1, records(50, "v"));
      Await.until(
          ConsumerBed.BOUND,
          "the backlog and its age are told",
          () -> gauge("lag.entries") >= 150 && gauge("oldest.age") >= 3);
      Await.until(ConsumerBed.BOUND, "the estimate grows", () -> gauge("drain.time") >= 3);
      assertThat(hold).isNotNull();
    }

    awaitStored(151);
    Await.until(
        ConsumerBed.BOUND,
        "nothing waits any more",
        () -> gauge("lag.entries") == 0 && gauge("oldest.age") == 0 && gauge("drain.time") == 0);
    Await.until(ConsumerBed.BOUND, "the rate is told", () -> gauge("rate") > 0);
  }
}

package io.seckill.consumer.log;

import static io.seckill.consumer.ConsumerBed.REGION;
import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.EntryId;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When an entry becomes a dead letter, and when it does not. */
class PoisonIT {

  private static final String LETTERS = "SELECT COUNT(*) FROM dead_letters WHERE state <> 'NEWER'";
  private static final String ORDERS = "SELECT COUNT(*) FROM orders";

  private EmbeddedRedis redis;
  private ConsumerBed bed;
  private Shop shop;

  @BeforeEach
  void open() throws InterruptedException {
    redis = TestRedis.start();
    bed = ConsumerBed.on(TestMariaDb.shared().newDatabase(), overrides(Map.of()));
    shop = new Shop(bed, redis).open();
    shop.sell(1, 3, 1_000);
  }

  private Map<String, String> overrides(Map<String, String> more) {
    Map<String, String> overrides = new HashMap<>();
    overrides.put("redis.uri", redis.uri());
    overrides.put("consumer.batchSize", "200");
    overrides.put("consumer.claimIdleMs", "2000");
    overrides.put("mysql.statementTimeoutMs", "1800");
    overrides.put("mysql.connectTimeoutMs", "1000");
    overrides.putAll(more);
    return overrides;
  }

  @AfterEach
  void close() {
    bed.close();
    redis.close();
  }

  private String consume(String node, Map<String, String> more) {
    Map<String, String> overrides = overrides(more);
    overrides.put("node.id", node);
    return await(
        bed.vertx()
            .deployVerticle(
                new LogConsumerVerticle(
                    ConsumerBed.config(bed.address(), overrides), bed.metrics(), List.of(0))));
  }

  private void awaitNumber(String what, String sql, long expected) throws InterruptedException {
    Await.until(ConsumerBed.BOUND, what, () -> bed.number(sql) == expected);
  }

  private void buy(int users, String prefix) {
    for (int i = 0; i < users; i++) {
      shop.win(prefix + i, 1, 1);
    }
  }

  /**
   * An entry that our own code cannot store: it releases the win of a letter in a state that only a
   * later release knows.
   */
  private EntryId poison() {
    long epoch = shop.epoch(0);
    bed.query(
        "INSERT IGNORE INTO dead_letters (region, shard, epoch, seq, reason, detail, payload, user_id,"
            + " state, created_at_ms, closed_at_ms) VALUES ("
            + REGION
            + ", 0, "
            + epoch
            + ", 999999, 'TEST', '', '{}', '', 'NEWER', 0, 0)");
    return shop.writeEntry(
        0,
        "k",
        "rel",
        "t",
        "1764430000000",
        "u",
        "ann",
        "w",
        epoch + "-999999",
        "r",
        "timeout",
        "l",
        "1:1:stock");
  }

  /** How often Redis has given a pending entry out; 0 when it is not pending. */
  private long deliveries(EntryId entry) {
    return Long.parseLong(
        shop.redis(
                "EVAL",
                "local p = redis.pcall('XPENDING', KEYS[1], 'orders', ARGV[1], ARGV[1], 1)"
                    + " return p[1] and p[1][4] or 0",
                "1",
                shop.keys(0).log(),
                entry.toString())
            .strip());
  }

  private double failures() {
    return bed.registry()
        .get("seckill.consumer.retries")
        .tag("cause", "unexplained")
        .counter()
        .count();
  }

  @Test
  void SC_09_consumerShouldStoreTheNinetyNineOthersAtOnce() throws InterruptedException {
    buy(50, "a");
    EntryId poison = poison();
    buy(49, "b");

    consume("a", Map.of());

    awaitNumber("the good ones are stored", ORDERS, 99);
    awaitNumber("the bad one is a letter", LETTERS, 1);
    assertThat(
            bed.query(
                "SELECT seq, reason, state, payload FROM dead_letters WHERE state <> 'NEWER'"))
        .extracting(row -> row.getLong(0) + " " + row.getString(1) + " " + row.getString(2))
        .containsExactly(poison.seq() + " ERROR OPEN");
    assertThat(
            bed.query("SELECT payload FROM dead_letters WHERE state = 'OPEN'").get(0).getString(0))
        .contains("999999");
    Await.until(ConsumerBed.BOUND, "the log is trimmed", () -> shop.logLength(0) == 0);
  }

  /** Stores what the shard did before anybody bought. */
  private void storeOpening() throws InterruptedException {
    String node = consume("first", Map.of());
    Await.until(ConsumerBed.BOUND, "the log is trimmed", () -> shop.logLength(0) == 0);
    await(bed.vertx().undeploy(node));
  }

  @Test
  void SC_09_consumerShouldFindTheBadOneAlsoInFrontOfAllOthers() throws InterruptedException {
    storeOpening();
    poison();
    buy(20, "a");

    consume("a", Map.of());

    awaitNumber("the good ones are stored", ORDERS, 20);
    assertThat(bed.number(LETTERS)).isEqualTo(1);
  }

  @Test
  void SC_09_consumerShouldBuryNothingWhileEverythingFails() throws InterruptedException {
    storeOpening();
    poison();
    poison();
    consume("a", Map.of("consumer.maxDeliveries", "3"));
    Await.until(ConsumerBed.BOUND, "it failed often", () -> failures() >= 15);
    assertThat(bed.number(LETTERS)).isZero();

    // That it can be stored shows that not everything fails.
    buy(1, "a");

    awaitNumber("the bad ones are letters", LETTERS, 2);
    awaitNumber("the good one is stored", ORDERS, 1);
  }

  @Test
  void SC_09_redisShouldCountOverTheConsumersRestart() throws InterruptedException {
    EntryId poison = poison();
    Map<String, String> patient = Map.of("consumer.maxDeliveries", "100");
    String first = consume("a", patient);
    Await.until(ConsumerBed.BOUND, "it was given out often", () -> deliveries(poison) >= 10);
    await(bed.vertx().undeploy(first));
    long before = deliveries(poison);
    assertThat(before).isBetween(10L, 99L);
    assertThat(bed.number(LETTERS)).isZero();

    consume("b", patient);

    awaitNumber("it is a dead letter", LETTERS, 1);
    // Each of them counted once, whichever process it was.
    assertThat(failures()).isBetween(90.0, 101.0);
  }

  @Test
  void SC_09_consumerShouldBuryAtOnceWhatCameOftenBefore() throws InterruptedException {
    EntryId poison = poison();
    shop.readAs(0, "dead");
    countTo(poison, 500);

    consume("dead", Map.of("consumer.maxDeliveries", "100"));

    awaitNumber("it is a dead letter", LETTERS, 1);
    assertThat(failures()).isBetween(3.0, 10.0);
  }

  /** Nobody can store a win. */
  private SqlHold holdLines() {
    return SqlHold.of(bed.address(), "SELECT * FROM order_lines FOR UPDATE");
  }

  private void countTo(EntryId entry, int deliveries) {
    shop.redis(
        "EVAL",
        "redis.call('XCLAIM', KEYS[1], 'orders', 'dead', 0, ARGV[1], 'RETRYCOUNT', ARGV[2])"
            + " return 1",
        "1",
        shop.keys(0).log(),
        entry.toString(),
        Integer.toString(deliveries));
  }

  @Test
  void SC_08_consumerShouldNeverBuryWhatWasOnlyGivenOutOften() throws InterruptedException {
    List<EntryId> wins = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      wins.add(shop.win("u" + i, 1, 1));
    }
    shop.readAs(0, "dead");
    wins.forEach(win -> countTo(win, 1_000));
    // Every try meets somebody else's lock.
    try (SqlHold hold = holdLines()) {
      assertThat(hold).isNotNull();
      consume("a", Map.of());
      consume("b", Map.of());
      Await.until(
          ConsumerBed.BOUND,
          "storing was tried several times",
          () ->
              bed.registry()
                      .get("seckill.consumer.retries")
                      .tag("cause", "conflict")
                      .counter()
                      .count()
                  >= 4);
      assertThat(bed.number(LETTERS)).isZero();
    }

    awaitNumber("all are stored", ORDERS, 20);
    assertThat(bed.number(LETTERS)).isZero();
  }

  @Test
  void SC_08_claimsToAndFroShouldMakeNoLetter() throws InterruptedException {
    buy(20, "u");
    shop.readAs(0, "dead");
    Map<String, String> greedy =
        Map.of("consumer.maxDeliveries", "3", "consumer.claimIdleMs", "1900");
    try (SqlHold hold = holdLines()) {
      assertThat(hold).isNotNull();
      List<String> nodes = new ArrayList<>();
      for (int round = 0; round < 4; round++) {
        // Each start reads what its name holds again, and Redis counts it.
        nodes.add(consume("dead", greedy));
        int tries = round + 1;
        Await.until(
            ConsumerBed.BOUND,
            "storing was tried again",
            () ->
                bed.registry()
                        .get("seckill.consumer.retries")
                        .tag("cause", "conflict")
                        .counter()
                        .count()
                    >= tries);
        await(bed.vertx().undeploy(nodes.get(round)));
      }
    }
    consume("dead", greedy);

    awaitNumber("all are stored", ORDERS, 20);
    assertThat(bed.number(LETTERS)).isZero();
  }
}

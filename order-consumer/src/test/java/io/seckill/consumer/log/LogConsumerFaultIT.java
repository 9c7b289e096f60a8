package io.seckill.consumer.log;

import static io.seckill.consumer.ConsumerBed.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.consumer.ConsumerBed;
import io.seckill.consumer.Shop;
import io.seckill.embedded.EmbeddedMariaDb;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The consumer while MySQL or the way to Redis is broken: it waits, loses nothing, and heals. */
class LogConsumerFaultIT {

  private EmbeddedRedis redis;
  private FaultProxy toRedis;
  private FaultProxy toMySql;
  private ConsumerBed bed;
  private Shop shop;

  @BeforeEach
  void open() {
    redis = TestRedis.start();
    toRedis = FaultProxy.before(TestRedis.address(redis));
  }

  private void open(MySqlAddress database) throws InterruptedException {
    toMySql = FaultProxy.before(database.host(), database.port());
    bed = ConsumerBed.on(database, overrides());
    shop = new Shop(bed, redis).open();
    shop.sell(1, 1, 10_000);
    Map<String, String> broken = overrides();
    broken.put("redis.uri", "redis://" + toRedis.host() + ":" + toRedis.port());
    broken.put("mysql.port", Integer.toString(toMySql.port()));
    await(
        bed.vertx()
            .deployVerticle(
                new LogConsumerVerticle(
                    ConsumerBed.config(database, broken), bed.metrics(), List.of(0))));
  }

  private Map<String, String> overrides() {
    Map<String, String> overrides = new HashMap<>();
    overrides.put("redis.uri", redis.uri());
    overrides.put("consumer.batchSize", "50");
    overrides.put("consumer.retryMaxMs", "500");
    overrides.put("consumer.claimIdleMs", "3000");
    overrides.put("mysql.statementTimeoutMs", "1500");
    overrides.put("mysql.connectTimeoutMs", "500");
    return overrides;
  }

  @AfterEach
  void close() {
    toMySql.heal();
    toRedis.heal();
    bed.close();
    toMySql.close();
    toRedis.close();
    redis.close();
  }

  private void buy(int users, String prefix) {
    for (int i = 0; i < users; i++) {
      shop.win(prefix + i, 1, 1);
    }
  }

  private void awaitStored(long orders) throws InterruptedException {
    Await.until(
        ConsumerBed.BOUND,
        orders + " orders are stored",
        () -> bed.number("SELECT COUNT(*) FROM orders") == orders);
    Await.until(ConsumerBed.BOUND, "the log is trimmed", () -> shop.logLength(0) == 0);
    assertThat(bed.number("SELECT held_units FROM items")).isEqualTo(orders);
    assertThat(bed.number("SELECT COUNT(*) FROM dead_letters")).isZero();
  }

  @Test
  void DB_08_consumerShouldKeepEverythingWhileMySqlIsDead() throws InterruptedException {
    EmbeddedMariaDb mariaDb = TestMariaDb.start();
    open(TestMariaDb.address(mariaDb));
    buy(60, "a");
    awaitStored(60);
    mariaDb.kill();
    buy(300, "b");
    assertThat(shop.logLength(0)).isEqualTo(300);

    mariaDb.restart();

    awaitStored(360);
  }

  @Test
  void DB_08_consumerShouldGoOnWhenMySqlAnswersNothingForAWhile() throws InterruptedException {
    open(TestMariaDb.shared().newDatabase());
    buy(60, "a");
    awaitStored(60);
    toMySql.blackhole();
    buy(200, "b");
    Await.until(
        ConsumerBed.BOUND,
        "a transaction has timed out",
        () ->
            bed.registry()
                    .get("seckill.consumer.retries")
                    .tag("cause", "transient")
                    .counter()
                    .count()
                > 0);

    toMySql.heal();

    awaitStored(260);
  }

  @Test
  void RF_06_consumerShouldGoOnWhenItsConnectionsToRedisAreCut() throws InterruptedException {
    open(TestMariaDb.shared().newDatabase());
    for (int i = 0; i < 10; i++) {
      buy(30, "r" + i + "-");
      toRedis.cutConnections();
    }

    awaitStored(300);
  }

  @Test
  void SC_08_consumerShouldAcknowledgeAgainWhenTheReplyWasLost() throws InterruptedException {
    open(TestMariaDb.shared().newDatabase());
    toRedis.loseReplies(3, "EVALSHA");
    buy(200, "a");

    awaitStored(200);
  }

  @Test
  void DB_08_consumerShouldRepeatWhenTheReplyToCommitIsLost() throws InterruptedException {
    open(TestMariaDb.shared().newDatabase());
    toMySql.loseReplies(3, "COMMIT");
    buy(200, "a");

    awaitStored(200);
    assertThat(toMySql.losses()).isEqualTo(3);
  }
}

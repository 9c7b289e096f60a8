package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.testkit.Await;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.TestRedis;
import io.vertx.redis.client.Command;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code redis.durability}: what must have a win before its buyer hears of it. */
class EngineDurabilityIT {

  private static final Map<String, String> REPLICA =
      Map.of("redis.durability", "replica", "redis.waitMs", "100");

  private EmbeddedRedis master;
  private EmbeddedRedis replica;
  private EngineFixture engine;

  @AfterEach
  void stopAll() throws Exception {
    if (engine != null) {
      engine.close();
    }
    if (replica != null) {
      replica.close();
    }
    if (master != null) {
      master.close();
    }
  }

  private void startReplicated() throws Exception {
    master = TestRedis.start();
    replica = TestRedis.start();
    try (RawRedis redis = new RawRedis(replica.host(), replica.port(), EngineFixture.BOUND)) {
      redis.call("REPLICAOF", master.host(), Integer.toString(master.port()));
    }
    try (RawRedis redis = new RawRedis(master.host(), master.port(), EngineFixture.BOUND)) {
      Await.until(
          EngineFixture.BOUND,
          "the replica to be online",
          () -> redis.call("INFO", "replication").contains("state=online"));
    }
    engine = new EngineFixture(TestRedis.address(master), REPLICA);
  }

  @Test
  void aFrozenReplicaShouldMakeWinsAndReplaysUnknownAndARepetitionShouldFindTheOrder()
      throws Exception {
    startReplicated();
    ItemId item = engine.openItem(1, 10, 1);
    Await.until(
        EngineFixture.BOUND,
        "a win that the replica has",
        () -> engine.buyNow("before", "key", item, 1).refusal() == null);

    replica.pause();
    try {
      assertThat(engine.buyOnce("u", "key", item, 1).refusal())
          .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
      assertThat(engine.buyOnce("u", "key", item, 1).refusal())
          .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
      // What took nothing is as certain as ever.
      assertThat(engine.buyNow("before", "another-key", item, 1).refusal())
          .isEqualTo(ErrorCode.LIMIT_REACHED);
      assertThat(engine.buyNow("before", "key", item, 2).refusal()).isEqualTo(ErrorCode.CONFLICT);
    } finally {
      replica.resume();
    }

    Await.until(
        EngineFixture.BOUND,
        "the repetition to find the order",
        () -> engine.buyNow("u", "key", item, 1).replayed());
    assertThat(engine.stock(0, item)).isEqualTo(8);
  }

  @Test
  void wavesOfBuyersShouldAllBeAnsweredInTimeWhateverTheReplicaDoes() throws Exception {
    startReplicated();
    ItemId item = engine.openItem(1, 1_000, 1);
    Await.until(
        EngineFixture.BOUND,
        "a win that the replica has",
        () -> engine.buyNow("before", "key", item, 1).refusal() == null);

    replica.pause();
    List<PurchaseReply> frozen;
    try {
      frozen = engine.buyAtOnce("u", 200, item);
    } finally {
      replica.resume();
    }

    // BUSY: whose turn did not come in time, because each batch waits its full time.
    assertThat(frozen)
        .allMatch(
            reply ->
                reply.refusal() == ErrorCode.OUTCOME_UNKNOWN || reply.refusal() == ErrorCode.BUSY);
    Await.until(
        EngineFixture.BOUND,
        "every buyer to have one order",
        () -> engine.buyAtOnce("u", 200, item).stream().allMatch(reply -> reply.refusal() == null));
    assertThat(engine.stock(0, item)).isEqualTo(799);
  }

  @Test
  void replicaWithoutReplicasShouldBeRefusedAtStart() {
    master = TestRedis.start();

    assertRefused(TestRedis.address(master), REPLICA, "0 replicas online", "redis.waitReplicas");
  }

  @ParameterizedTest
  @CsvSource({"NO,appendonly yes", "EVERYSEC,appendfsync always"})
  void fsyncShouldBeRefusedWhereTheFileIsNotSyncedAlways(Appendonly appendonly, String advice) {
    master = TestRedis.start(spec -> spec.withAppendonly(appendonly));

    assertRefused(TestRedis.address(master), Map.of("redis.durability", "fsync"), advice);
  }

  @Test
  void fsyncShouldSellWhereTheFileIsSyncedAlways() throws Exception {
    master = TestRedis.start(spec -> spec.withAppendonly(Appendonly.ALWAYS));
    engine = new EngineFixture(TestRedis.address(master), Map.of("redis.durability", "fsync"));

    ItemId item = engine.openItem(1, 1, 1);

    Await.until(
        EngineFixture.BOUND, "a win", () -> engine.buyNow("u", "key", item, 1).refusal() == null);
  }

  @ParameterizedTest
  @CsvSource({"redis-sentinel://127.0.0.1:1/shop", "redis-cluster://127.0.0.1:1"})
  void fsyncShouldBeRefusedWhereAFailoverCanLoseWhatWasSynced(String uri) {
    master = TestRedis.start();

    assertRefused(
        TestRedis.address(master),
        Map.of("redis.durability", "fsync", "redis.uri", uri),
        "redis.durabilityForced");
  }

  @Test
  void RF_02_dataThatWentBackUnderTheSameNameShouldBeNoticedByTheNextPurchase() throws Exception {
    master = TestRedis.start();
    engine = new EngineFixture(TestRedis.address(master), Map.of());
    ItemId item = engine.openItem(1, 10, 1);
    Await.until(
        EngineFixture.BOUND,
        "three wins",
        () -> engine.buyAtOnce("u", 3, item).stream().allMatch(reply -> reply.refusal() == null));
    engine.storeLogs();
    long epoch = headField("epoch");

    // As after a server that was made a replica of an older copy, and a master again, in an
    // instant.
    engine.redis(Command.HSET, engine.keys[0].head(), "seq", Long.toString(headField("seq") - 2));

    Await.until(
        EngineFixture.BOUND,
        "the shard to sell again",
        () -> engine.buyNow("v", "k", item, 1).refusal() == null);
    assertThat(headField("epoch")).isGreaterThan(epoch);
    assertThat(engine.stock(0, item)).isEqualTo(6);
  }

  private long headField(String field) throws Exception {
    return engine.redis(Command.HGET, engine.keys[0].head(), field).toLong();
  }

  private static void assertRefused(
      RedisAddress redis, Map<String, String> config, String... words) {
    assertThatThrownBy(() -> new EngineFixture(redis, config))
        .satisfies(
            failure -> {
              for (String word : words) {
                assertThat(failure).hasStackTraceContaining(word);
              }
            });
  }
}

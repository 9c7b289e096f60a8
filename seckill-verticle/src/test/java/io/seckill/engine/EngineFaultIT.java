package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.TestRedis;
import io.vertx.redis.client.Command;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineFaultIT {

  private EmbeddedRedis redis;
  private EngineFixture engine;

  @BeforeEach
  void startRedis() {
    redis = TestRedis.start(spec -> spec.withAppendonly(Appendonly.ALWAYS));
  }

  @AfterEach
  void stopAll() throws Exception {
    if (engine != null) {
      engine.close();
    }
    redis.close();
  }

  @Test
  void RF_06_aRestartShouldReopenTheShardUnderTheNextEpochWithNothingForgotten() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 10, 1);
    PurchaseReply first = engine.buyNow("u", "key", item, 1);

    redis.kill();
    redis.restart();

    Await.until(
        EngineFixture.BOUND,
        "the engine to sell again",
        () -> engine.buyNow("v", "k", item, 1).refusal() == null);
    assertThat(engine.buyNow("u", "key", item, 1).orderId()).isEqualTo(first.orderId());
    assertThat(engine.stock(0, item)).isEqualTo(8);
    assertThat(engine.redis(Command.HGET, engine.keys[0].head(), "epoch").toLong())
        .isGreaterThan(1);
  }

  @Test
  void RF_07_aFrozenRedisShouldEndEveryRequestByItsDeadline() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 1_000, 1);
    redis.pause();
    try {
      // The server stays frozen, and the fixture's bus fails a request that has no answer after 10
      // s.
      List<PurchaseReply> replies = engine.buyAtOnce("u", 50, item);
      assertThat(replies)
          .allMatch(
              reply ->
                  reply.refusal() == ErrorCode.OUTCOME_UNKNOWN
                      || reply.refusal() == ErrorCode.UNAVAILABLE
                      || reply.refusal() == ErrorCode.BUSY);
    } finally {
      redis.resume();
    }

    // Whatever the frozen server did with the first calls, a repetition tells, and nobody wins
    // twice.
    Await.until(
        EngineFixture.BOUND,
        "every buyer to have his order",
        () -> engine.buyAtOnce("u", 50, item).stream().allMatch(reply -> reply.refusal() == null));
    assertThat(engine.stock(0, item)).isEqualTo(950);
  }

  @Test
  void OL_02_aLostReplyShouldBeUnknownAndARepetitionShouldFindTheOrder() throws Exception {
    try (FaultProxy proxy = FaultProxy.before(TestRedis.address(redis))) {
      engine = new EngineFixture(new RedisAddress(proxy.host(), proxy.port()), Map.of());
      ItemId item = engine.openItem(1, 10, 1);
      proxy.loseReplies(1, "win-of-the-lost-reply");

      PurchaseReply lost = engine.buyNow("win-of-the-lost-reply", "key", item, 1);
      assertThat(lost.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);

      Await.until(
          EngineFixture.BOUND,
          "the repetition to find the order",
          () -> engine.buyNow("win-of-the-lost-reply", "key", item, 1).replayed());
      assertThat(engine.stock(0, item)).isEqualTo(9);
    }
  }

  @Test
  void LU_01_flushedScriptsShouldFailNoPurchase() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 2_000, 1);

    for (int round = 0; round < 10; round++) {
      engine.redis(Command.SCRIPT, "FLUSH");
      assertThat(engine.buyAtOnce("r" + round + "-", 100, item))
          .allMatch(reply -> reply.refusal() == null);
    }

    assertThat(engine.stock(0, item)).isEqualTo(1_000);
  }

  @Test
  void RF_03_anEmptiedServerShouldBeWrittenAnewFromTheLedger() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 100, 1);
    PurchaseReply kept = engine.buyNow("stored", "key", item, 1);
    engine.storeLogs();
    PurchaseReply forgotten = engine.buyNow("not-stored", "key", item, 1);
    assertThat(forgotten.refusal()).isNull();

    redis.kill();
    redis.close();
    redis =
        EmbeddedRedis.start(
            RedisSpec.in(Files.createTempDirectory("seckill-empty-redis")).withPort(redis.port()));

    Await.until(
        EngineFixture.BOUND,
        "the engine to sell again",
        () -> engine.buyNow("v", "k", item, 1).refusal() == null);
    assertThat(engine.buyNow("stored", "key", item, 1).orderId()).isEqualTo(kept.orderId());
    // His win is lost for good and ends as FAILED(LOST); a new purchase is a new order.
    PurchaseReply anew = engine.buyNow("not-stored", "key", item, 1);
    assertThat(anew.replayed()).isFalse();
    assertThat(anew.orderId()).isNotEqualTo(forgotten.orderId());
    assertThat(engine.stock(0, item)).isEqualTo(97);
  }

  @Test
  void aShardShouldSellOnWhileTheLedgerIsAway() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 10, 1);

    engine.ledger.leave();

    assertThat(engine.buyNow("u", "k", item, 1).refusal()).isNull();
  }

  @Test
  void RF_04_anEvictingRedisShouldBeRefusedAtStart() throws Exception {
    try (EmbeddedRedis evicting =
        TestRedis.start(spec -> spec.withOptions("--maxmemory-policy", "allkeys-lru"))) {
      assertThatThrownBy(() -> new EngineFixture(TestRedis.address(evicting), Map.of()))
          .hasStackTraceContaining("noeviction");
    }
  }
}

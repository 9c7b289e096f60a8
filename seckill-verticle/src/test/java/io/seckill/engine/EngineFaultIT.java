package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Await;
import io.seckill.testkit.FaultProxy;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
      // The server stays frozen meanwhile.
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

      PurchaseReply lost = engine.buyOnce("win-of-the-lost-reply", "key", item, 1);
      assertThat(lost.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);

      Await.until(
          EngineFixture.BOUND,
          "the repetition to find the order",
          () -> engine.buyNow("win-of-the-lost-reply", "key", item, 1).replayed());
      assertThat(engine.stock(0, item)).isEqualTo(9);
    }
  }

  @Test
  void RF_06_aRestartShouldForgetNobodyWhoWaits() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 1, 1);
    assertThat(engine.buyNow("u", "key", item, 1).refusal()).isNull();
    engine.joinNow("first", item);
    engine.joinNow("second", item);

    redis.kill();
    redis.restart();

    assertThat(engine.joinNow("second", item).place()).isEqualTo(2);
    engine.keepStoring();
    engine.cancel("u");
    engine.awaitReleased();
    assertThat(engine.buyPatiently("first", "-", item, 1).replayed()).isTrue();
    assertThat(engine.place("second", item)).isEqualTo(1);
  }

  @Test
  void RF_07_aFrozenRedisShouldEndEveryJoinByItsDeadline() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 1, 1);
    assertThat(engine.buyNow("u", "key", item, 1).refusal()).isNull();
    redis.pause();
    try {
      for (ErrorCode code : joinAll(item, 300)) {
        assertThat(code).isIn(ErrorCode.OUTCOME_UNKNOWN, ErrorCode.UNAVAILABLE, ErrorCode.BUSY);
      }
    } finally {
      redis.resume();
    }

    Await.until(
        EngineFixture.BOUND,
        "all to stand in line",
        () -> joinAll(item, 300).stream().allMatch(Objects::isNull));
    Await.until(EngineFixture.BOUND, "each once", () -> engine.waiting(item) == 300);
  }

  /** Lets users join at once: why each may not, null where he stands in line. */
  private List<ErrorCode> joinAll(ItemId item, int users) throws Exception {
    List<Future<WaitlistPlace>> joins = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      joins.add(engine.join("w" + i, item));
    }
    Await.until(EngineFixture.BOUND, "answers", () -> joins.stream().allMatch(Future::isComplete));
    List<ErrorCode> refusals = new ArrayList<>();
    joins.forEach(
        join -> refusals.add(join.succeeded() ? null : ((SeckillException) join.cause()).code()));
    return refusals;
  }

  @Test
  void OL_02_aLostReplyToAJoinShouldBeUnknownAndARepetitionShouldFindHimInLine() throws Exception {
    try (FaultProxy proxy = FaultProxy.before(TestRedis.address(redis))) {
      engine = new EngineFixture(new RedisAddress(proxy.host(), proxy.port()), Map.of());
      ItemId item = engine.openItem(1, 1, 1);
      assertThat(engine.buyNow("u", "key", item, 1).refusal()).isNull();
      // The server knows the script from now on.
      engine.joinNow("first", item);
      proxy.loseReplies(1, "join-of-the-lost-reply");

      assertThat(engine.refusalOfJoin("join-of-the-lost-reply", item))
          .isEqualTo(ErrorCode.OUTCOME_UNKNOWN);

      WaitlistPlace place = engine.joinNow("join-of-the-lost-reply", item);
      assertThat(place.joined()).isFalse();
      assertThat(place.place()).isEqualTo(2);
      assertThat(place.waiting()).isEqualTo(2);
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

  @Test
  void RF_02_aTransferShouldStandWhoseEntryIsLostAfterItWasTold() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of("redis.shards", "2"));
    ItemId item = engine.openItem(1, 2, 2);
    engine.storeLogs();
    Copy before = copy(item);

    assertThat(engine.buyPatiently(engine.userOf(0, "u"), "k", item, 2).refusal()).isNull();
    assertThat(engine.ledger.transfers()).isEqualTo(1);
    engine.ledger.store(0, engine.log(0));
    // The sender forgets that it sent, the receiver has sold what came.
    before.restore(1);

    awaitWhole(item);
    assertThat(engine.stockInAll(item)).isZero();
    assertThat(engine.buyPatiently(engine.userOf(1, "v"), "k", item, 1).refusal())
        .isEqualTo(ErrorCode.SOLD_OUT);
  }

  @Test
  void RF_02_unitsShouldComeAgainWhoseArrivalIsLost() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of("redis.shards", "2"));
    ItemId item = engine.openItem(1, 2, 2);
    engine.storeLogs();
    Copy before = copy(item);

    PurchaseReply lost = engine.buyPatiently(engine.userOf(0, "u"), "k", item, 2);
    assertThat(lost.refusal()).isNull();
    engine.ledger.store(1, engine.log(1));
    // The receiver forgets the arrival and the win; neither was stored.
    before.restore(0);

    awaitWhole(item);
    PurchaseReply again = engine.buyPatiently(engine.userOf(0, "u"), "k", item, 2);
    assertThat(again.refusal()).isNull();
    assertThat(again.replayed()).isFalse();
    assertThat(again.orderId()).isNotEqualTo(lost.orderId());
    assertThat(engine.stockInAll(item)).isZero();
  }

  @Test
  void RF_02_anEndShouldStandThatIsLost() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of("redis.shards", "2"));
    ItemId item = engine.openItem(1, 10, 1);
    engine.storeLogs();
    Copy before = copy(item);
    Await.result(EngineFixture.BOUND, "the end", engine.change(item, ItemChange.Action.END, 0));
    // Not stored: only the ledger's record knows of the end.
    before.restore(0);

    // Not one unit is sold on the way there.
    String user = engine.userOf(0, "u");
    Await.until(
        EngineFixture.BOUND,
        "the shard to have ended again",
        () -> {
          engine.storeLogs();
          PurchaseReply reply = engine.buyNow(user, "k", item, 1);
          assertThat(reply.refusal()).isNotNull();
          return reply.refusal() == ErrorCode.ENDED;
        });
  }

  @Test
  void RF_02_anEpochThatTheLedgerHasClosedShouldNotSellOn() throws Exception {
    engine = new EngineFixture(TestRedis.address(redis), Map.of());
    ItemId item = engine.openItem(1, 10, 1);
    engine.storeLogs();
    long epoch = engine.redis(Command.HGET, engine.keys[0].head(), "epoch").toLong();

    // As if the shard had been opened on another server, from which nobody can reach this one.
    engine.ledger.claimBehindTheBack(0);

    Await.until(
        EngineFixture.BOUND,
        "the shard to be opened anew",
        () ->
            engine.redis(Command.HGET, engine.keys[0].head(), "epoch").toLong() > epoch
                && engine.buyNow("u", "k", item, 1).refusal() == null);
  }

  /** What the shards hold now, to be written back as an older copy of a server would show it. */
  private Copy copy(ItemId item) throws Exception {
    Map<String, String> dumps = new HashMap<>();
    for (RedisKeys shard : engine.keys) {
      for (String key :
          List.of(
              shard.head(),
              shard.log(),
              shard.items(),
              shard.item(item),
              shard.stock(item),
              shard.receipts(item))) {
        Response dump = engine.redis(Command.DUMP, key);
        dumps.put(key, dump == null ? null : dump.toString(StandardCharsets.ISO_8859_1));
      }
    }
    return new Copy(item, dumps);
  }

  private final class Copy {
    private final ItemId item;
    private final Map<String, String> dumps;

    Copy(ItemId item, Map<String, String> dumps) {
      this.item = item;
      this.dumps = dumps;
    }

    /** Puts a shard back, and lets the server's identity be another one, as after a failover. */
    void restore(int shard) throws Exception {
      RedisKeys keys = engine.keys[shard];
      for (String key :
          List.of(
              keys.log(), keys.items(), keys.item(item), keys.stock(item), keys.receipts(item))) {
        engine.restore(key, dumps.get(key));
      }
      engine.restore(keys.head(), dumps.get(keys.head()));
      engine.redis(Command.HSET, keys.head(), "runId", "another");
    }
  }

  /** All shards are open on this server, and no unit is on its way. */
  private void awaitWhole(ItemId item) throws Exception {
    Await.until(
        EngineFixture.BOUND,
        "all shards to be open and all units to have arrived",
        () -> {
          engine.storeLogs();
          long travelling = 0;
          for (RedisKeys keys : engine.keys) {
            if (!engine.redis(Command.HGET, keys.head(), "state").toString().equals("OPEN")
                || engine.redis(Command.HGET, keys.head(), "runId").toString().equals("another")) {
              return false;
            }
            travelling += engine.redis(Command.HGET, keys.item(item), "sent").toLong();
            travelling -= engine.redis(Command.HGET, keys.item(item), "recv").toLong();
          }
          return travelling == 0;
        });
  }
}

package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Backlog;
import io.seckill.common.id.ItemId;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Await;
import io.vertx.redis.client.Command;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the board tells of logs that nobody stores. */
class EngineBacklogIT {

  private static final int SHARDS = 2;
  private static final int WINS = 400;

  private EngineFixture engine;

  @BeforeEach
  void sellWithoutAConsumer() throws Exception {
    engine =
        new EngineFixture(
            EngineServers.STANDALONE.emptied(),
            Map.of("redis.shards", Integer.toString(SHARDS), "engine.maxLogEntries", "1000"));
    ItemId item = engine.openItem(1, WINS, 1);
    engine.buyAtOnce("u", WINS, item);
  }

  @AfterEach
  void stopEngine() throws Exception {
    engine.close();
  }

  /** As a consumer leaves a shard behind. */
  private void storeAndTrim() throws Exception {
    for (RedisKeys keys : RedisKeys.forShards(SHARDS)) {
      String epoch = engine.redis(Command.HGET, keys.head(), "epoch").toString();
      String seq = engine.redis(Command.HGET, keys.head(), "seq").toString();
      engine.redis(Command.XTRIM, keys.log(), "MAXLEN", "0");
      engine.redis(Command.HSET, keys.head(), "stored", epoch + "-" + seq);
    }
  }

  private Backlog backlog() throws Exception {
    return engine.board().backlog();
  }

  @Test
  void theBoardShouldTellHowFullTheFullestLogIsAndHowLongItHasWaited() throws Exception {
    Await.until(EngineFixture.BOUND, "the wins are seen", () -> backlog().fullPerMille() >= 150);
    assertThat(backlog().fullPerMille()).isLessThanOrEqualTo(WINS + 50);
    Await.until(EngineFixture.BOUND, "the estimate grows", () -> backlog().drainMs() > 1_000);
    assertThat(backlog().storedPerSecond()).isZero();

    storeAndTrim();

    Await.until(EngineFixture.BOUND, "nothing waits", () -> backlog().fullPerMille() == 0);
    Await.until(EngineFixture.BOUND, "nor is waited for", () -> backlog().drainMs() == 0);
    assertThat(backlog().storedPerSecond()).isPositive();
  }

  @Test
  void SC_06_aLogThatWasDeletedShouldNotCountAsFull() throws Exception {
    Await.until(EngineFixture.BOUND, "the wins are seen", () -> backlog().fullPerMille() >= 150);

    for (RedisKeys keys : RedisKeys.forShards(SHARDS)) {
      engine.redis(Command.DEL, keys.log());
    }

    Await.until(EngineFixture.BOUND, "nothing waits", () -> backlog().fullPerMille() == 0);
  }
}

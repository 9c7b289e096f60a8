package io.seckill.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.seckill.common.config.ConfigLoader;
import io.seckill.testkit.Await;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TopologyTest {

  private final TestLoop loop = new TestLoop();

  /** The topology of a configured Redis. */
  static Topology topology(String uri, int shards, String password) {
    Map<String, String> values =
        Map.of(
            "redis.uri", uri, "redis.password", password, "redis.shards", Integer.toString(shards));
    return Topology.of(ConfigLoader.ofNothing().withOverrides(values).load().config().redis());
  }

  /**
   * The port of a shard's master; on a machine that is too busy for the bound of a look-up it asks
   * again.
   */
  static int portOf(Topology topology, int shard) throws InterruptedException {
    TestLoop loop = new TestLoop();
    AtomicInteger port = new AtomicInteger();
    Await.until(
        TestLoop.BOUND,
        "the master of shard " + shard + " is named",
        () -> {
          port.set(loop.await(() -> topology.masterOf(TestLoop.VERTX, shard, 0)).port());
          return true;
        });
    return port.get();
  }

  /** Waits until the look-up fails with a sentence that fits. */
  static void untilTold(Topology topology, int shard, String regex) throws InterruptedException {
    TestLoop loop = new TestLoop();
    Await.until(
        TestLoop.BOUND,
        "it is told: " + regex,
        () -> {
          Throwable failure =
              catchThrowable(() -> loop.await(() -> topology.masterOf(TestLoop.VERTX, shard, 0)));
          return failure != null && failure.getMessage().matches("(?s).*" + regex + ".*");
        });
  }

  @Test
  void standaloneShouldBeTheConfiguredServer() {
    Topology topology = topology("redis://[::1]:6380", 2, "secret-1");
    for (int shard = 0; shard < 2; shard++) {
      int next = shard;
      RedisEndpoint master = loop.await(() -> topology.masterOf(TestLoop.VERTX, next, 0));
      assertThat(master).isEqualTo(new RedisEndpoint("[::1]", 6380, "secret-1"));
      assertThat(master).hasToString("[::1]:6380");
    }
  }

  @Test
  void addressShouldBracketWhatAServerNamesBare() {
    assertThat(new RedisEndpoint("::1", 6380, "secret-1")).hasToString("[::1]:6380");
    assertThat(new RedisEndpoint("redis-0", 6380, "secret-1")).hasToString("redis-0:6380");
  }

  @Test
  void nobodyThereShouldBeToldInOneSentence() throws InterruptedException {
    Topology sentinels = topology("redis-sentinel://127.0.0.1:1,127.0.0.1:2/sale", 1, "");
    untilTold(sentinels, 0, "no sentinel names the master sale, for example 127.0.0.1:[12] says: ");
    Topology cluster = topology("redis-cluster://127.0.0.1:1,127.0.0.1:2", 1, "");
    untilTold(
        cluster, 0, "no seed tells the slots of the cluster, for example 127.0.0.1:[12] says: ");
  }
}

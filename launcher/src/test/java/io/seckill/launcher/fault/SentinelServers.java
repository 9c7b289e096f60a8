package io.seckill.launcher.fault;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.testkit.Await;
import io.seckill.testkit.TestSentinels;
import java.time.Duration;
import java.util.List;

/** One master, two replicas and three sentinels. */
final class SentinelServers implements RedisServers.Replicated {

  private static final Duration BOUND = Duration.ofSeconds(90);

  /** As {@link TestSentinels} starts them. */
  private static final int DOWN_AFTER_MS = 2_000;

  /**
   * Sentinels promote no replica whose link had been down for ten times this long when its master
   * went.
   */
  private static final int LATE_DOWN_AFTER_MS = 8_000;

  private static final int FAR_OFF_MS = 600_000;

  private final TestSentinels all;

  SentinelServers() throws InterruptedException {
    all = TestSentinels.start();
  }

  @Override
  public String uri() {
    return all.uri();
  }

  @Override
  public int shards() {
    return 4;
  }

  @Override
  public EmbeddedRedis masterOf(int shard) {
    return all.master();
  }

  @Override
  public List<EmbeddedRedis> replicasOf(EmbeddedRedis master) {
    return all.servers().stream().filter(server -> server != master).toList();
  }

  @Override
  public void allowFailover(boolean allowed) {
    callDownAfter(allowed ? DOWN_AFTER_MS : FAR_OFF_MS);
  }

  @Override
  public void allowLateFailover() {
    callDownAfter(LATE_DOWN_AFTER_MS);
  }

  private void callDownAfter(int ms) {
    for (EmbeddedServer sentinel : all.sentinels()) {
      RedisServers.ask(
          sentinel,
          "SENTINEL",
          "SET",
          TestSentinels.MASTER_NAME,
          "down-after-milliseconds",
          Integer.toString(ms));
    }
  }

  @Override
  public void handOver(EmbeddedRedis master) throws InterruptedException {
    // Sentinels refuse for some seconds after the failover before.
    Await.until(
        BOUND,
        "a sentinel begins a failover",
        () ->
            RedisServers.ask(
                    all.sentinels().get(0), "SENTINEL", "FAILOVER", TestSentinels.MASTER_NAME)
                .equals("OK"));
  }

  @Override
  public void replaceFrozen(EmbeddedRedis master) throws InterruptedException {
    master.pause();
    // The sentinels leave it what it thinks it is for about ten seconds after it wakes.
    all.awaitMasterInsteadOf(master);
  }

  @Override
  public void restoreOrder() throws InterruptedException {
    all.servers().forEach(EmbeddedServer::resume);
    Await.until(BOUND, "there is a master", () -> all.master().running());
    EmbeddedRedis master = all.master();
    for (EmbeddedRedis server : replicasOf(master)) {
      if (!server.running()) {
        server.restart();
      }
      if (RedisServers.isMaster(server)) {
        // Sentinels would do the same, ten seconds later.
        RedisServers.ask(server, "REPLICAOF", master.host(), Integer.toString(master.port()));
      }
    }
    Await.until(
        BOUND,
        "the replicas follow the master",
        () -> all.master() == master && RedisServers.isFollowed(master, 2));
  }

  @Override
  public void close() {
    all.close();
  }
}

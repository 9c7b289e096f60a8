package io.seckill.launcher.fault;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.testkit.TestRedis;
import java.util.List;

/** One server, which keeps nothing on disk but what a test has it save. */
final class StandaloneServer implements RedisServers {

  private final EmbeddedRedis redis = TestRedis.start();

  @Override
  public String uri() {
    return redis.uri();
  }

  @Override
  public int shards() {
    return 4;
  }

  @Override
  public EmbeddedRedis masterOf(int shard) {
    return redis;
  }

  @Override
  public List<EmbeddedRedis> replicasOf(EmbeddedRedis master) {
    return List.of();
  }

  @Override
  public void allowFailover(boolean allowed) {
    // There is nobody to fail over to.
  }

  @Override
  public void restoreOrder() {
    redis.resume();
    if (!redis.running()) {
      redis.restart();
    }
  }

  @Override
  public void close() {
    redis.kill();
    redis.close();
  }
}

package io.seckill.lua;

import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.TestRedis;

/** The servers on which every script test runs. Each is started once for the JVM. */
enum TestServer {
  /** Redis 6.2, or the one that was given. */
  SHARED,
  /** A node in cluster mode: refuses calls whose keys have different slots. */
  CLUSTER_MODE,
  /** The installed redis-server 7 or newer, when there is one. */
  REDIS_7;

  RedisAddress address() {
    return switch (this) {
      case SHARED -> TestRedis.shared();
      case CLUSTER_MODE -> Cluster.ADDRESS;
      case REDIS_7 -> seven();
    };
  }

  private static final class Cluster {
    static final RedisAddress ADDRESS = start();

    private static RedisAddress start() {
      try {
        return TestRedis.address(TestRedis.clusterMode());
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static RedisAddress sevenAddress;

  private static synchronized RedisAddress seven() {
    if (sevenAddress == null) {
      sevenAddress = Redis7.address(Redis7.start());
    }
    return sevenAddress;
  }
}

package io.seckill.engine;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.RawRedis;
import io.seckill.testkit.TestCluster;
import io.seckill.testkit.TestRedis;
import io.seckill.testkit.TestSentinels;
import java.io.IOException;

/**
 * The topologies that the same engine tests run on. Their servers are started for the first test
 * that wants them, serve one test after the other, and end with the JVM.
 */
enum EngineServers {
  STANDALONE {
    @Override
    String emptied() throws IOException {
      empty(Standalone.REDIS);
      return Standalone.REDIS.uri();
    }
  },
  SENTINEL {
    @Override
    String emptied() throws IOException {
      empty(Sentinel.SERVERS.master());
      return Sentinel.SERVERS.uri();
    }
  },
  CLUSTER {
    @Override
    String emptied() throws IOException {
      for (EmbeddedRedis master : Cluster.SERVERS.nodes().subList(0, MASTERS)) {
        empty(master);
      }
      return Cluster.SERVERS.uri();
    }
  };

  private static final int MASTERS = 3;

  /** Started by the first use, as Java initialises a class once. */
  private static final class Standalone {
    static final EmbeddedRedis REDIS = TestRedis.start();
  }

  private static final class Sentinel {
    static final TestSentinels SERVERS = start();

    private static TestSentinels start() {
      try {
        return TestSentinels.start();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final class Cluster {
    static final TestCluster SERVERS = start();

    private static TestCluster start() {
      try {
        return TestCluster.start();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Removes all data and returns the {@code redis.uri}. No engine may be at work there. */
  abstract String emptied() throws IOException;

  private static void empty(EmbeddedServer server) throws IOException {
    try (RawRedis redis = new RawRedis(server.host(), server.port(), EngineFixture.BOUND)) {
      redis.call("FLUSHALL");
    }
  }
}

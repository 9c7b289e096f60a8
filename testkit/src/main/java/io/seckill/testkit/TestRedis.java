package io.seckill.testkit;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;

/** Redis servers for tests. */
public final class TestRedis {

  /** System property with the address of a Redis to use as the shared one. */
  public static final String PROPERTY = "seckill.test.redis";

  private static final String IMAGE = "redis:7-alpine";
  private static final int PORT = 6379;
  private static final int SLOTS = 16_384;
  private static final Duration BOUND = Duration.ofSeconds(30);

  private TestRedis() {}

  /** Started by the first caller, as Java initialises a class once. */
  private static final class Shared {
    static final RedisAddress ADDRESS = find();

    private static RedisAddress find() {
      String property = System.getProperty(PROPERTY);
      if (property != null && !property.isBlank()) {
        return announced(RedisAddress.parse(property), "given by -D" + PROPERTY);
      }
      if (DockerEngine.hasImage(IMAGE)) {
        @SuppressWarnings("resource") // Testcontainers removes it when the JVM ends.
        GenericContainer<?> container = new GenericContainer<>(IMAGE).withExposedPorts(PORT);
        container.start();
        return announced(
            new RedisAddress(container.getHost(), container.getMappedPort(PORT)),
            "container " + IMAGE);
      }
      return announced(address(start()), "embedded");
    }

    private static RedisAddress announced(RedisAddress address, String how) {
      try (RawRedis redis = new RawRedis(address.host(), address.port(), BOUND)) {
        TestResources.announce("Redis", redis.info("server", "redis_version"), how, address.uri());
        return address;
      } catch (IOException e) {
        throw new UncheckedIOException("no Redis answers at " + address.uri() + ", " + how, e);
      }
    }
  }

  /**
   * Returns the one Redis that all tests of this JVM share, without append-only file. Use fresh
   * keys; never flush, stop or reconfigure it.
   */
  public static RedisAddress shared() {
    return Shared.ADDRESS;
  }

  /**
   * Starts a private embedded Redis that keeps nothing, in a temporary folder. It ends with the JVM
   * at the latest.
   */
  public static EmbeddedRedis start() {
    return start(spec -> spec.withAppendonly(Appendonly.NO));
  }

  /**
   * Starts a private embedded Redis in a temporary folder, as {@code change} wants it; the start is
   * a free port, everysec.
   */
  public static EmbeddedRedis start(UnaryOperator<RedisSpec> change) {
    return start(change.apply(RedisSpec.in(TestResources.temporaryFolder("redis"))));
  }

  /**
   * Starts a private embedded Redis, which the test may kill, pause and restart. It ends with the
   * JVM at the latest.
   */
  public static EmbeddedRedis start(RedisSpec spec) {
    return TestResources.owned(EmbeddedRedis.start(spec));
  }

  /**
   * Starts a private Redis in cluster mode that owns all 16,384 slots, so that commands work as on
   * one node of a cluster and keys of different slots in one call are refused with CROSSSLOT.
   */
  public static EmbeddedRedis clusterMode() throws InterruptedException {
    EmbeddedRedis node = start(spec -> spec.withAppendonly(Appendonly.NO).asClusterNode());
    try (RawRedis redis = new RawRedis(node.host(), node.port(), BOUND)) {
      redis.call(
          Stream.concat(
                  Stream.of("CLUSTER", "ADDSLOTS"),
                  IntStream.range(0, SLOTS).mapToObj(Integer::toString))
              .toArray(String[]::new));
      Await.until(
          BOUND,
          "cluster_state is ok",
          () -> redis.call("CLUSTER", "INFO").contains("cluster_state:ok"));
      return node;
    } catch (IOException e) {
      node.close();
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the address of a private server. */
  public static RedisAddress address(EmbeddedRedis redis) {
    return new RedisAddress(redis.host(), redis.port());
  }
}

package io.seckill.launcher.load;

import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetClientOptions;
import java.time.Duration;

/** How load is made. */
public final class LoadOptions {

  private static final int MAX_LANES = 4;

  /**
   * Buyers come again when the shop tells them to, and at the latest then: it is the longest that a
   * shop tells them whose orders are not stored as fast as it sells.
   */
  static final long MAX_RETRY_AFTER_MS = 5_000;

  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);

  private LoadOptions() {}

  /**
   * Event loops that a crowd plays on: half of the cores, at least one and at most {@value
   * #MAX_LANES}, because the others are the server's. One sends up to 100,000 requests a second to
   * a server that answers at once.
   */
  public static int lanes() {
    return Math.max(1, Math.min(Runtime.getRuntime().availableProcessors() / 2, MAX_LANES));
  }

  /** For a Vert.x of the load's own, so that it never queues behind the server's work. */
  public static VertxOptions vertx() {
    return new VertxOptions()
        .setEventLoopPoolSize(lanes())
        .setWorkerPoolSize(1)
        .setInternalBlockingPoolSize(2);
  }

  static NetClientOptions sockets() {
    return new NetClientOptions()
        .setTcpNoDelay(true)
        .setConnectTimeout((int) CONNECT_WITHIN.toMillis());
  }
}

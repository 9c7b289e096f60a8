package io.seckill.launcher.load;

import io.vertx.core.net.SocketAddress;
import java.time.Duration;

/**
 * How a crowd goes about it.
 *
 * @param server the storefront API
 * @param connections keep-alive connections in all, 1 … 10,000
 * @param sendFor no new click is begun after this
 * @param endAfter the run is over after this, whatever is still open
 */
public record CrowdRules(
    SocketAddress server, int connections, Duration sendFor, Duration endAfter) {

  /** Checks the ranges. */
  public CrowdRules {
    if (connections < 1 || connections > 10_000) {
      throw new IllegalArgumentException("connections must be 1 to 10000, not " + connections);
    }
    if (endAfter.compareTo(sendFor) < 0) {
      throw new IllegalArgumentException("a run cannot end before it stops to send");
    }
  }
}

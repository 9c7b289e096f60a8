package io.seckill.launcher.load;

import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How a crowd goes about it.
 *
 * @param server the storefront API
 * @param connections keep-alive connections in all, 1 … 10,000
 * @param sendFor no new click is begun after this
 * @param endAfter the run is over after this, whatever is still open
 * @param winners hears of each order when a buyer is first told of it, on the loop of the lane;
 *     whoever listens may pay it or let it run out, so units come back while the crowd is at it.
 *     Empty: nothing comes back
 */
public record CrowdRules(
    SocketAddress server,
    int connections,
    Duration sendFor,
    Duration endAfter,
    Optional<Consumer<AnsweredWin>> winners) {

  /** Nothing comes back while the crowd is at it. */
  public CrowdRules(SocketAddress server, int connections, Duration sendFor, Duration endAfter) {
    this(server, connections, sendFor, endAfter, Optional.empty());
  }

  /** The same with somebody who hears of the wins. */
  public CrowdRules with(Consumer<AnsweredWin> winners) {
    return new CrowdRules(server, connections, sendFor, endAfter, Optional.of(winners));
  }

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

package io.seckill.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses free TCP ports on loopback.
 *
 * <p>Ports come from 15000–31999: below Linux' range for outgoing connections (32768 and up), so
 * that none of those takes the port between choice and use, and low enough for a Redis cluster
 * node, whose bus port is 10,000 higher. A port is handed out once per JVM. Another process may
 * still take it in between: who starts a server must be ready to choose again.
 */
public final class FreePorts {

  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int BUS_OFFSET = 10_000;
  private static final int MAX_TRIES = 1_000;
  private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  /**
   * Returns a port that is free at this moment, as is the one 10,000 above it.
   *
   * @throws EmbeddedServerException when 1,000 random ports were all taken
   */
  public static int choose() {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (free(port) && free(port + BUS_OFFSET) && HANDED_OUT.add(port)) {
        return port;
      }
    }
    throw new EmbeddedServerException(
        "No free port found between %d and %d: close some programs, or name a port."
            .formatted(FIRST, END - 1));
  }

  /** Tells whether a server could listen on this loopback port at this moment. */
  public static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until the port is free, at most {@code bound}; tells whether it is. */
  static boolean awaitFree(int port, Duration bound) throws InterruptedException {
    long deadline = System.nanoTime() + bound.toNanos();
    while (!free(port)) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Thread.sleep(20);
    }
    return true;
  }
}

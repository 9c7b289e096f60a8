package io.seckill.lua;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a Redis server listens.
 *
 * @param host name or address
 * @param port TCP port
 * @param password empty for none
 */
public record RedisEndpoint(String host, int port, String password) {

  private static final int DEFAULT_PORT = 6379;

  /**
   * Reads {@code redis://host[:port]}.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static RedisEndpoint parse(String uri, String password) {
    try {
      URI parsed = new URI(uri);
      boolean plain =
          "redis".equals(parsed.getScheme())
              && parsed.getHost() != null
              && parsed.getUserInfo() == null;
      if (!plain) {
        throw new IllegalArgumentException("a Redis address is redis://host:port, not " + uri);
      }
      return new RedisEndpoint(
          parsed.getHost(), parsed.getPort() < 0 ? DEFAULT_PORT : parsed.getPort(), password);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("a Redis address is redis://host:port, not " + uri, e);
    }
  }

  /** As {@code host:port}, without the password. */
  @Override
  public String toString() {
    return host + ":" + port;
  }
}

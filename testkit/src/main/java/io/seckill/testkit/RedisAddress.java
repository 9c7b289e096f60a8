package io.seckill.testkit;

import java.net.URI;

/** Where a Redis is. */
public record RedisAddress(String host, int port) {

  private static final int DEFAULT_PORT = 6379;

  /** Reads {@code redis://host:port} or {@code host:port}. */
  static RedisAddress parse(String text) {
    URI uri = URI.create(text.contains("://") ? text : "redis://" + text);
    if (uri.getHost() == null) {
      throw new IllegalArgumentException("not redis://host:port: " + text);
    }
    return new RedisAddress(uri.getHost(), uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort());
  }

  /** Returns {@code redis://host:port}. */
  public String uri() {
    return "redis://" + host + ":" + port;
  }
}

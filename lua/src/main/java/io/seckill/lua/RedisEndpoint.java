package io.seckill.lua;

import io.seckill.common.config.RedisUri;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;

/**
 * Where a Redis server listens.
 *
 * @param host name or address
 * @param port TCP port
 * @param password empty for none
 */
public record RedisEndpoint(String host, int port, String password) {

  static RedisEndpoint of(RedisUri.Server server, String password) {
    return new RedisEndpoint(server.host(), server.port(), password);
  }

  /**
   * A client for one connection to it; who makes it closes it. A connection that has no exception
   * handler yet would log each reset with its stack: see {@link #quiet}.
   *
   * @param maxInFlight calls that may be in flight
   */
  Redis client(Vertx vertx, long connectTimeoutMs, int maxInFlight) {
    RedisOptions options =
        new RedisOptions()
            .setConnectionString("redis://" + this)
            .setMaxPoolSize(1)
            .setMaxPoolWaiting(1)
            .setPoolCleanerInterval(-1)
            .setMaxWaitingHandlers(maxInFlight)
            // RESP2 replies are plain arrays; scripts and streams read the same on 6.2, 7 and 8.
            .setProtocolNegotiation(false);
    if (!password.isEmpty()) {
      options.setPassword(password);
    }
    options
        .getNetClientOptions()
        .setConnectTimeout((int) connectTimeoutMs)
        .setTcpNoDelay(true)
        .setTcpKeepAlive(true);
    return Redis.createClient(vertx, options);
  }

  /** Leaves it to the calls that fail to tell of a reset. */
  static RedisConnection quiet(RedisConnection connection) {
    return connection.exceptionHandler(failure -> {});
  }

  /** As {@code host:port}, an IPv6 address in brackets, without the password. */
  @Override
  public String toString() {
    boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
    return (bare ? "[" + host + "]" : host) + ":" + port;
  }
}

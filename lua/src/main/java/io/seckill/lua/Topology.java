package io.seckill.lua;

import io.vertx.core.Future;

/**
 * Finds the master of a shard. Asked before each connection is made, so that a link that lost its
 * server follows a failover. The standalone answer is the configured address; Sentinel and Cluster
 * answers come from the servers.
 */
@FunctionalInterface
public interface Topology {

  /**
   * The server that should hold the shard now. The link still checks that it is a master. The
   * future completes on the caller's event loop.
   *
   * @param shard 0 … S−1
   */
  Future<RedisEndpoint> masterOf(int shard);

  /** One server holds all shards. */
  static Topology standalone(RedisEndpoint endpoint) {
    return shard -> Future.succeededFuture(endpoint);
  }
}

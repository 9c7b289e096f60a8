package io.seckill.lua;

import io.seckill.common.config.RedisUri;
import io.seckill.common.config.SeckillConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;

/**
 * Finds the master of a shard. Asked before each connection is made, so that a link that lost its
 * server follows a failover. The standalone answer is the configured address; Sentinel and Cluster
 * answers come from the servers. May be shared between event loops.
 */
@FunctionalInterface
public interface Topology {

  /**
   * The server that should hold the shard now. The link still checks that it is a master. Fails
   * with a sentence for operators when nobody knows. The future completes on the caller's event
   * loop, in bounded time.
   *
   * @param vertx the caller's
   * @param shard 0 … S−1
   * @param maxAgeMs how old the answer may be: who found a server to be the wrong one wants nothing
   *     from before that
   */
  Future<RedisEndpoint> masterOf(Vertx vertx, int shard, long maxAgeMs);

  /** One server holds all shards. */
  static Topology standalone(RedisEndpoint endpoint) {
    return (vertx, shard, maxAgeMs) -> Future.succeededFuture(endpoint);
  }

  /** The topology that {@code redis.uri} describes. */
  static Topology of(SeckillConfig.Redis config) {
    RedisUri uri = RedisUri.parse(config.uri());
    String password = config.password().value();
    return switch (uri.kind()) {
      case STANDALONE -> standalone(endpoints(uri, password).get(0));
      case SENTINEL ->
          new SentinelTopology(
              new ServerPoll(
                  endpoints(uri, config.sentinelPassword().value()), config.connectTimeoutMs()),
              uri.masterName(),
              password);
      case CLUSTER ->
          new ClusterTopology(
              new ServerPoll(endpoints(uri, password), config.connectTimeoutMs()),
              config.shards(),
              password);
    };
  }

  private static List<RedisEndpoint> endpoints(RedisUri uri, String password) {
    return uri.servers().stream().map(server -> RedisEndpoint.of(server, password)).toList();
  }
}

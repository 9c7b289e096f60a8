package io.seckill.engine;

import io.seckill.common.config.SeckillConfig;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.Topology;
import io.vertx.core.Vertx;

/** How this node reaches the region's shards. Immutable, shared by all verticles of the engine. */
final class ShardAccess {

  private final Topology topology;
  private final RedisKeys[] keys;
  private final SeckillConfig.Redis config;

  ShardAccess(SeckillConfig.Redis config) {
    this.config = config;
    this.topology = Topology.of(config);
    this.keys = RedisKeys.forShards(config.shards());
  }

  RedisLink newLink(Vertx vertx, int shard) {
    return new RedisLink(
        vertx, topology, shard, new RedisLink.Options(config.connectTimeoutMs(), false));
  }

  RedisKeys keys(int shard) {
    return keys[shard];
  }

  int shardCount() {
    return config.shards();
  }

  int connections() {
    return config.connections();
  }

  long callTimeoutMs() {
    return config.callTimeoutMs();
  }

  /** The configured address, for messages. */
  String address() {
    return config.uri();
  }
}

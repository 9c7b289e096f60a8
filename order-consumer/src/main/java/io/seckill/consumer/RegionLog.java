package io.seckill.consumer;

import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.log.LogReader;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.Topology;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;

/**
 * The region's shards, for looking things up: one connection for calls to each shard's master.
 * Belongs to one event loop.
 */
public final class RegionLog {

  private final RedisKeys[] keys;
  private final List<RedisLink> links = new ArrayList<>();
  private final List<LogReader> readers = new ArrayList<>();
  private final int region;
  private final long callTimeoutMs;

  private RegionLog(SeckillConfig config) {
    this.keys = RedisKeys.forShards(config.redis().shards());
    this.region = config.node().region();
    this.callTimeoutMs = config.redis().callTimeoutMs();
  }

  /** Connects in the background. */
  public static RegionLog open(Vertx vertx, SeckillConfig config) {
    RegionLog log = new RegionLog(config);
    Topology topology = Topology.of(config.redis());
    for (int shard = 0; shard < log.keys.length; shard++) {
      RedisLink link =
          new RedisLink(
              vertx,
              topology,
              shard,
              new RedisLink.Options(config.redis().connectTimeoutMs(), false));
      link.open(() -> {});
      log.links.add(link);
      log.readers.add(new LogReader(log.keys[shard], config.node().id()));
    }
    return log;
  }

  /** The number of the region. */
  public int region() {
    return region;
  }

  /** S. */
  public int shardCount() {
    return keys.length;
  }

  /** The keys of a shard. */
  public RedisKeys keys(int shard) {
    return keys[shard];
  }

  /** The connection to a shard's master. */
  public RedisLink link(int shard) {
    return links.get(shard);
  }

  /** Reads a shard's log. */
  public LogReader reader(int shard) {
    return readers.get(shard);
  }

  /** Bound on one call. */
  public long callTimeoutMs() {
    return callTimeoutMs;
  }

  /** Closes all connections. */
  public Future<?> close() {
    return Future.join(links.stream().map(RedisLink::close).toList());
  }
}

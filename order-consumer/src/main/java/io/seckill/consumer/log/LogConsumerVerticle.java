package io.seckill.consumer.log;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.LogStore;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.Topology;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Consumes the logs of some shards of the region, each by itself. */
public final class LogConsumerVerticle extends VerticleBase {

  private final SeckillConfig config;
  private final ConsumerMetrics metrics;
  private final List<Integer> shards;
  private final List<ShardConsumer> consumers = new ArrayList<>();
  private Database database;
  private volatile boolean stopping;

  /**
   * Makes the verticle.
   *
   * @param shards the shards of the region that this instance reads
   */
  public LogConsumerVerticle(SeckillConfig config, ConsumerMetrics metrics, List<Integer> shards) {
    this.config = config;
    this.metrics = metrics;
    this.shards = List.copyOf(shards);
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.STORING);
    BatchStore batches = new BatchStore(database);
    LogStore log =
        new LogStore(
            vertx,
            batches,
            metrics,
            new LogStore.Patience(
                config.consumer().retryMaxMs(), config.consumer().maxDeliveries(), () -> stopping));
    Topology topology = Topology.of(config.redis());
    RedisKeys[] keys = RedisKeys.forShards(config.redis().shards());
    for (int shard : shards) {
      ShardConsumer consumer =
          new ShardConsumer(
              vertx,
              new ShardConsumer.Source(
                  new ShardRef(config.node().region(), shard), keys[shard], config.node().id()),
              new ShardConsumer.Links(link(topology, shard, true), link(topology, shard, false)),
              new ShardConsumer.Storage(log, batches),
              new ShardConsumer.Settings(
                  config.consumer().batchSize(),
                  config.consumer().blockMs(),
                  config.consumer().claimIdleMs(),
                  config.redis().callTimeoutMs()),
              metrics);
      consumers.add(consumer);
      consumer.start();
    }
    return Future.succeededFuture();
  }

  private RedisLink link(Topology topology, int shard, boolean blocking) {
    return new RedisLink(
        vertx, topology, shard, new RedisLink.Options(config.redis().connectTimeoutMs(), blocking));
  }

  /** Stops reading, lets the batches in hand end, acknowledges them; bounded. */
  @Override
  public Future<?> stop() {
    stopping = true;
    List<Future<Void>> stops = consumers.stream().map(ShardConsumer::stop).toList();
    return Future.join(stops)
        // The launcher bounds the whole stop; half of it is for the batches in hand.
        .timeout(config.node().shutdownMs() / 2, TimeUnit.MILLISECONDS)
        .transform(stopped -> Future.join(consumers.stream().map(ShardConsumer::close).toList()))
        .transform(closed -> database.close());
  }
}

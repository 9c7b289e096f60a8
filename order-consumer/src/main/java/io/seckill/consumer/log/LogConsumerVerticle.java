package io.seckill.consumer.log;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.notify.OrderNews;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Deliveries;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Received;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.Topology;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Consumes the logs of some shards of the region, each by itself. */
public final class LogConsumerVerticle extends VerticleBase {

  private final SeckillConfig config;
  private final ConsumerMetrics metrics;
  private final WritePace pace;
  private final List<Integer> shards;
  private final List<ShardConsumer> consumers = new ArrayList<>();
  private Database database;
  private volatile boolean stopping;

  /**
   * Makes the only verticle of a process.
   *
   * @param shards the shards of the region that it reads
   */
  public LogConsumerVerticle(SeckillConfig config, ConsumerMetrics metrics, List<Integer> shards) {
    this(config, metrics, paceOf(config), shards);
  }

  private LogConsumerVerticle(
      SeckillConfig config, ConsumerMetrics metrics, WritePace pace, List<Integer> shards) {
    this.config = config;
    this.metrics = metrics;
    this.pace = pace;
    this.shards = List.copyOf(shards);
  }

  /**
   * Makes the verticles of a process, which store at one pace.
   *
   * @param instances how many
   */
  public static Supplier<LogConsumerVerticle> inTurn(
      SeckillConfig config, ConsumerMetrics metrics, int instances) {
    WritePace pace = paceOf(config);
    AtomicInteger next = new AtomicInteger();
    return () ->
        new LogConsumerVerticle(
            config,
            metrics,
            pace,
            shardsOf(next.getAndIncrement() % instances, instances, config.redis().shards()));
  }

  private static List<Integer> shardsOf(int instance, int instances, int shardCount) {
    List<Integer> shards = new ArrayList<>();
    for (int shard = instance; shard < shardCount; shard += instances) {
      shards.add(shard);
    }
    return shards;
  }

  private static WritePace paceOf(SeckillConfig config) {
    return new WritePace(config.consumer().writesPerSecond(), System::nanoTime);
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.STORING);
    BatchStore batches = new BatchStore(database, new OrderNews(vertx.eventBus(), config));
    Topology topology = Topology.of(config.redis());
    RedisKeys[] keys = RedisKeys.forShards(config.redis().shards());
    for (int shard : shards) {
      ShardConsumer.Source source =
          new ShardConsumer.Source(
              new ShardRef(config.node().region(), shard), keys[shard], config.node().id());
      ShardConsumer.Links links =
          new ShardConsumer.Links(link(topology, shard, true), link(topology, shard, false));
      ShardConsumer consumer =
          new ShardConsumer(
              vertx,
              source,
              links,
              new ShardConsumer.Storage(logStore(batches, source, links), batches, pace),
              new ShardConsumer.Settings(
                  pace.batchSize(config.consumer().batchSize(), config.redis().shards()),
                  config.consumer().blockMs(),
                  config.consumer().claimIdleMs(),
                  config.redis().callTimeoutMs()),
              metrics);
      consumers.add(consumer);
      consumer.start();
    }
    return Future.succeededFuture();
  }

  private LogStore logStore(
      BatchStore batches, ShardConsumer.Source source, ShardConsumer.Links links) {
    LogReader reader = new LogReader(source.keys(), source.consumer());
    long timeoutMs = config.redis().callTimeoutMs();
    return new LogStore(
        vertx,
        batches,
        metrics,
        new LogStore.Patience(
            config.consumer().retryMaxMs(),
            config.consumer().maxDeliveries(),
            new Deliveries() {
              @Override
              public Future<Long> again(EntryId place) {
                return reader.takeAgain(links.calls(), place, timeoutMs);
              }

              @Override
              public Future<List<Received>> behind(EntryId place) {
                return reader.behind(links.calls(), place, timeoutMs);
              }
            },
            () -> stopping));
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

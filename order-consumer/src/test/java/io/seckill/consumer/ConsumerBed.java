package io.seckill.consumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Migrator;
import io.seckill.consumer.ledger.ItemLedger;
import io.seckill.consumer.ledger.ShardLedger;
import io.seckill.consumer.notify.OrderNews;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.TransferLedger;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** A migrated database with its ledger, for one test. */
public final class ConsumerBed implements AutoCloseable {

  /** Far above what any step takes; a bound against hanging. */
  public static final Duration BOUND = Duration.ofSeconds(60);

  /** The region of all tests. */
  public static final int REGION = 3;

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setUseDaemonThread(true));
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MySqlAddress address;
  private final SeckillConfig config;
  private final Database database;
  private final OrderNews news;
  private final ConsumerMetrics metrics = new ConsumerMetrics(registry);

  private ConsumerBed(MySqlAddress address, Map<String, String> overrides) {
    this.address = address;
    this.config = config(address, overrides);
    await(new Migrator(vertx, config.mysql()).migrate());
    this.database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    BusCodecs.register(vertx.eventBus());
    this.news = new OrderNews(vertx.eventBus(), config);
    await(shards().join(new RegionJoin(REGION, config.redis().shards())));
  }

  /** Migrates an empty database. */
  public static ConsumerBed on(MySqlAddress address) {
    return new ConsumerBed(address, Map.of());
  }

  /** Migrates an empty database; configuration keys are set as given. */
  public static ConsumerBed on(MySqlAddress address, Map<String, String> overrides) {
    return new ConsumerBed(address, overrides);
  }

  /** A configuration for a database; keys are set as given. */
  public static SeckillConfig config(MySqlAddress address, Map<String, String> overrides) {
    Map<String, String> values = new HashMap<>();
    values.put("mysql.host", address.host());
    values.put("mysql.port", Integer.toString(address.port()));
    values.put("mysql.database", address.database());
    values.put("mysql.user", address.user());
    values.put("mysql.password", address.password());
    values.put("node.region", Integer.toString(REGION));
    values.put("node.id", "test");
    values.put("jwt.secret", "0123456789abcdef0123456789abcdef");
    values.put("orderId.key", "000102030405060708090a0b0c0d0e0f");
    values.putAll(overrides);
    return ConfigLoader.ofNothing().withOverrides(values).load().config();
  }

  public Vertx vertx() {
    return vertx;
  }

  public MySqlAddress address() {
    return address;
  }

  public SeckillConfig config() {
    return config;
  }

  public Database database() {
    return database;
  }

  public ConsumerMetrics metrics() {
    return metrics;
  }

  public SimpleMeterRegistry registry() {
    return registry;
  }

  /** Tells of orders as the configuration says. */
  public OrderNews news() {
    return news;
  }

  public ShardLedger shards() {
    return new ShardLedger(database);
  }

  public TransferLedger transfers() {
    return new TransferLedger(database, metrics);
  }

  public ItemLedger items() {
    return new ItemLedger(database, REGION);
  }

  /** Gives an entry up as soon as nobody can say why it fails: as if it had come often before. */
  public static LogStore.Patience patience(long retryMaxMs) {
    return new LogStore.Patience(retryMaxMs, 3, place -> Future.succeededFuture(3L), () -> false);
  }

  /** Waits for a future; its failure comes out as it is. */
  public static <T> T await(Future<T> future) {
    try {
      return Await.result(BOUND, "a step of the test", future);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Rows of a statement. */
  public List<Row> query(String sql) {
    return SqlServer.query(address, sql);
  }

  /** One number. */
  public long number(String sql) {
    return query(sql).get(0).getLong(0);
  }

  /** A definition that is on sale now. */
  public static ItemDefinition definition(long item, int limit) {
    return new ItemDefinition(
        new ItemId(item), "Item " + item, 9_900, "CNY", "", limit, 0, 4_000_000_000_000L, 900_000);
  }

  /** The same in a group. */
  public static ItemDefinition inGroup(ItemDefinition item, String group, int limit) {
    return new ItemDefinition(
        item.id(),
        item.name(),
        item.priceMinor(),
        item.currency(),
        item.picture(),
        item.limitPerUser(),
        item.startsAtMs(),
        item.endsAtMs(),
        item.payWithinMs(),
        new ItemGroup(group, limit));
  }

  /** Creates and preheats an item; its moves wait for their entries. */
  public ItemRecord preheat(long item, int limit, long stock) {
    return preheat(definition(item, limit), stock);
  }

  /** Creates and preheats an item; its moves wait for their entries. */
  public ItemRecord preheat(ItemDefinition definition, long stock) {
    long item = definition.id().value();
    await(items().create(new ItemCreate("create-" + item, "op", definition, stock)));
    return await(
            items()
                .change(
                    new ItemChange(
                        "preheat-" + item,
                        "op",
                        new ItemId(item),
                        ItemChange.Action.PREHEAT,
                        ItemChange.Values.NONE,
                        config.redis().shards(),
                        List.of())))
        .record();
  }

  /** Opens a shard under the next epoch in the ledger alone, and returns the epoch. */
  public long openShard(int shard, long redisEpoch, long redisSeq) {
    ShardClaimed claimed = await(shards().claim(new ShardClaim(REGION, shard, redisEpoch, "test")));
    await(shards().close(new EpochClose(REGION, shard, claimed.epoch(), redisEpoch, redisSeq)));
    await(shards().open(new ShardOpen(REGION, shard, claimed.epoch())));
    return claimed.epoch();
  }

  @Override
  public void close() {
    await(database.close());
    await(vertx.close());
  }
}

package io.seckill.engine;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.PurchaseLine;
import io.seckill.common.role.RoleDeployment;
import io.seckill.lua.RedisEndpoint;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.Topology;
import io.seckill.testkit.Await;
import io.seckill.testkit.RedisAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An engine with its own Vert.x on a Redis of the test's, and a ledger peer. */
final class EngineFixture {

  static final Duration BOUND = Duration.ofSeconds(30);

  private static final DeliveryOptions OPTIONS = new DeliveryOptions().setSendTimeout(10_000);

  final Vertx vertx = Vertx.vertx();
  final LedgerPeer ledger;
  final SeckillConfig config;
  final RedisKeys[] keys;

  private final RedisLink probe;

  EngineFixture(RedisAddress redis, Map<String, String> overrides) throws Exception {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "redis.uri",
                redis.uri(),
                "redis.callTimeoutMs",
                "500",
                "orderId.key",
                "000102030405060708090a0b0c0d0e0f",
                "admission.userPerWindow",
                "32",
                "engine.boardIntervalMs",
                "50",
                "engine.ledgerIntervalMs",
                "100"));
    all.putAll(overrides);
    config = ConfigLoader.ofNothing().withOverrides(all).load().config();
    keys = RedisKeys.forShards(config.redis().shards());
    BusCodecs.register(vertx.eventBus());
    ledger = new LedgerPeer(vertx.eventBus());
    for (RoleDeployment deployment : EngineRole.deployments(config, new SimpleMeterRegistry())) {
      Await.result(
          BOUND,
          "deploying " + deployment.name(),
          vertx.deployVerticle(deployment.verticle(), deployment.options()));
    }
    probe =
        new RedisLink(
            vertx,
            Topology.standalone(RedisEndpoint.parse(redis.uri(), "")),
            0,
            new RedisLink.Options(1_000, false));
    Future<Void> up =
        Future.future(promise -> vertx.runOnContext(turn -> probe.open(promise::tryComplete)));
    Await.result(BOUND, "a probe connection", up);
  }

  /** Creates an item, preheats it and waits until it is open. */
  ItemId openItem(long id, long stock, int limit) throws Exception {
    ItemId item = new ItemId(id);
    long now = System.currentTimeMillis();
    ledger.create(
        new ItemDefinition(
            item, "phone", 199_900, "CNY", "", limit, now - 60_000, now + 3_600_000, 900_000),
        stock);
    Await.until(BOUND, "the preheat to go through", () -> preheated(item));
    return item;
  }

  /** Shards may still be opening: an operator asks again, and so does this. */
  private boolean preheated(ItemId item) throws Exception {
    Future<ItemView> asked = change(item, ItemChange.Action.PREHEAT, 0);
    Await.until(BOUND, "an answer to the preheat", asked::isComplete);
    return asked.succeeded();
  }

  Future<ItemView> change(ItemId item, ItemChange.Action action, long units) {
    return vertx
        .eventBus()
        .<ItemView>request(
            Addresses.CHANGE_ITEM,
            new ItemChange(UUID.randomUUID().toString(), "test", item, action, units, 0),
            OPTIONS)
        .map(Message::body);
  }

  Future<PurchaseReply> buy(String user, String key, ItemId item, int quantity) {
    return vertx
        .eventBus()
        .<PurchaseReply>request(
            Addresses.PURCHASE,
            new PurchaseRequest(
                new UserId(user),
                new IdempotencyKey(key),
                List.of(new PurchaseLine(item, new Quantity(quantity))),
                2_000),
            OPTIONS)
        .map(Message::body);
  }

  PurchaseReply buyNow(String user, String key, ItemId item, int quantity) throws Exception {
    return Await.result(BOUND, "an answer", buy(user, key, item, quantity));
  }

  /** Lets the users buy one unit each at once, each under a key of his own. */
  List<PurchaseReply> buyAtOnce(String prefix, int users, ItemId item) throws Exception {
    List<Future<PurchaseReply>> buys = new ArrayList<>(users);
    for (int i = 0; i < users; i++) {
      buys.add(buy(prefix + i, "k", item, 1));
    }
    Await.result(BOUND, users + " answers", Future.join(buys));
    return buys.stream().map(Future::result).toList();
  }

  Response redis(Command command, String... args) throws Exception {
    return Await.result(
        BOUND,
        command.toString(),
        Future.future(
            promise ->
                vertx.runOnContext(
                    turn -> {
                      Request request = Request.cmd(command);
                      for (String arg : args) {
                        request.arg(arg);
                      }
                      probe.send(request, 5_000).onComplete(promise);
                    })));
  }

  long stock(int shard, ItemId item) throws Exception {
    return redis(Command.GET, keys[shard].stock(item)).toLong();
  }

  long stockInAll(ItemId item) throws Exception {
    long sum = 0;
    for (int shard = 0; shard < keys.length; shard++) {
      sum += stock(shard, item);
    }
    return sum;
  }

  List<LogEntry> log(int shard) throws Exception {
    List<LogEntry> entries = new ArrayList<>();
    for (Response entry : redis(Command.XRANGE, keys[shard].log(), "-", "+")) {
      Map<String, String> fields = new HashMap<>();
      Response flat = entry.get(1);
      for (int i = 0; i < flat.size(); i += 2) {
        fields.put(flat.get(i).toString(), flat.get(i + 1).toString());
      }
      entries.add(LogEntries.parse(entry.get(0).toString(), fields));
    }
    return entries;
  }

  /** Stores what is in the logs, as a consumer does. */
  void storeLogs() throws Exception {
    for (int shard = 0; shard < keys.length; shard++) {
      ledger.store(shard, log(shard));
    }
  }

  void close() throws Exception {
    Await.result(BOUND, "the end of Vert.x", vertx.close());
  }
}

package io.seckill.engine;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Board;
import io.seckill.common.bus.BoardRequest;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.ItemView;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.PlacesQuery;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.bus.PurchaseSender;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.bus.WaitlistJoin;
import io.seckill.common.bus.WaitlistLeave;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.id.UserShards;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.log.LogEntries;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.PurchaseLine;
import io.seckill.common.role.RoleDeployment;
import io.seckill.lua.ItemGroups;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.ReleaseWin;
import io.seckill.lua.SendUnits;
import io.seckill.lua.StepResult;
import io.seckill.lua.Topology;
import io.seckill.testkit.Await;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.Stalls;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** An engine node with its own Vert.x on a Redis of the test's, and a ledger peer. */
final class EngineFixture {

  static final Duration BOUND = Duration.ofSeconds(60);

  private static final long STORE_MS = 20;
  private static final long HEAL_MS = 50;

  /** A link that was lost is there again, and its shard open, long before. */
  private static final long HEALED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * So long that no test takes "nothing was heard" for an answer: the engine itself must give it.
   */
  private static final long ANSWER_GRACE_MS = BOUND.toMillis();

  private static final DeliveryOptions OPTIONS = new DeliveryOptions().setSendTimeout(10_000);

  final Vertx vertx = Vertx.vertx();
  final LedgerPeer ledger;
  final SeckillConfig config;
  final RedisKeys[] keys;
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /** One for each shard's master. */
  private final List<RedisLink> probes = new ArrayList<>();

  private final List<String> deployments = new ArrayList<>();
  private final PurchaseSender buyers;

  private final Context loop = vertx.getOrCreateContext();
  private boolean storing;
  private long storeTimer;

  EngineFixture(RedisAddress redis, Map<String, String> overrides) throws Exception {
    this(redis.uri(), overrides, null);
  }

  /** On servers of any topology, named as in {@code redis.uri}. */
  EngineFixture(String uri, Map<String, String> overrides) throws Exception {
    this(uri, overrides, null);
  }

  /** One more node beside those of the ledger; null for a ledger of its own. */
  EngineFixture(String uri, Map<String, String> overrides, LedgerPeer shared) throws Exception {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "redis.uri",
                uri,
                "redis.callTimeoutMs",
                "500",
                "redis.waitMs",
                "200",
                "orderId.key",
                "000102030405060708090a0b0c0d0e0f",
                "admission.userPerWindow",
                "32",
                "engine.boardIntervalMs",
                "50",
                "engine.ledgerIntervalMs",
                "100",
                "engine.releaseIntervalMs",
                "100"));
    all.putAll(overrides);
    config = ConfigLoader.ofNothing().withOverrides(all).load().config();
    keys = RedisKeys.forShards(config.redis().shards());
    BusCodecs.register(vertx.eventBus());
    if (shared == null) {
      ledger = new LedgerPeer(vertx.eventBus());
    } else {
      ledger = shared;
      shared.serve(vertx.eventBus());
    }
    for (RoleDeployment deployment : EngineRole.deployments(config, registry)) {
      deployments.add(
          Await.result(
              BOUND,
              "deploying " + deployment.name(),
              vertx.deployVerticle(deployment.verticle(), deployment.options())));
    }
    Topology topology = Topology.of(config.redis());
    for (int shard = 0; shard < keys.length; shard++) {
      RedisLink probe = new RedisLink(vertx, topology, shard, new RedisLink.Options(1_000, false));
      probes.add(probe);
      Future<Void> up =
          Future.future(promise -> loop.runOnContext(turn -> probe.open(promise::tryComplete)));
      Await.result(BOUND, "a probe connection", up);
    }
    Future<PurchaseSender> started =
        Future.future(
            promise ->
                loop.runOnContext(
                    turn -> PurchaseSender.start(vertx, ANSWER_GRACE_MS).onComplete(promise)));
    buyers = Await.result(BOUND, "the way to the engine", started);
  }

  /** Creates an item, preheats it and waits until it is open. */
  ItemId openItem(long id, long stock, int limit) throws Exception {
    return openItem(definition(id, limit, null), stock);
  }

  ItemId openItem(ItemDefinition definition, long stock) throws Exception {
    ledger.create(definition, stock);
    Await.until(BOUND, "the preheat to go through", () -> preheated(definition.id()));
    return definition.id();
  }

  static ItemDefinition definition(long id, int limit, ItemGroup group) {
    long now = System.currentTimeMillis();
    return new ItemDefinition(
        new ItemId(id),
        "phone",
        199_900,
        "CNY",
        "",
        limit,
        now - 60_000,
        now + 3_600_000,
        900_000,
        group);
  }

  /** Shards may still be opening: an operator asks again, and so does this. */
  private boolean preheated(ItemId item) throws Exception {
    Future<ItemChanged> asked = change(item, ItemChange.Action.PREHEAT, 0);
    Await.until(BOUND, "an answer to the preheat", asked::isComplete);
    return asked.succeeded();
  }

  Future<ItemChanged> change(ItemId item, ItemChange.Action action, long units) {
    return change(UUID.randomUUID().toString(), item, action, ItemChange.Values.ofUnits(units));
  }

  Future<ItemChanged> change(
      String requestId, ItemId item, ItemChange.Action action, ItemChange.Values values) {
    return vertx
        .eventBus()
        .<ItemChanged>request(
            Addresses.CHANGE_ITEM, new ItemChange(requestId, "test", item, action, values), OPTIONS)
        .map(Message::body);
  }

  /** One change; asked again where the machine stood still and so it was not settled in time. */
  ItemChanged changeNow(ItemId item, ItemChange.Action action, long units) throws Exception {
    long sinceNanos = System.nanoTime();
    String requestId = UUID.randomUUID().toString();
    ItemChanged changed;
    do {
      changed =
          Await.result(
              BOUND,
              action + " " + units,
              change(requestId, item, action, ItemChange.Values.ofUnits(units)));
    } while (!changed.settled() && stoodStill(sinceNanos));
    return changed;
  }

  SalesRecord stopSales(boolean stopped) throws Exception {
    return Await.result(
        BOUND,
        "the stop switch",
        vertx
            .eventBus()
            .<SalesRecord>request(
                Addresses.CHANGE_SALES,
                new SalesChange(
                    UUID.randomUUID().toString(), "test", config.node().region(), stopped),
                OPTIONS)
            .map(Message::body));
  }

  /** The board as this node shows it. */
  Board board() throws Exception {
    return Await.result(
        BOUND,
        "the board",
        vertx
            .eventBus()
            .<Board>request(Addresses.BOARD_NOW, new BoardRequest(config.node().region()), OPTIONS)
            .map(Message::body));
  }

  boolean isSoldOut(ItemId item) throws Exception {
    return board().items().stream()
        .anyMatch(view -> view.definition().id().equals(item) && view.soldOut());
  }

  Future<PurchaseReply> buy(String user, String key, ItemId item, int quantity) {
    return buy(user, key, List.of(new PurchaseLine(item, new Quantity(quantity))));
  }

  Future<PurchaseReply> buy(String user, String key, List<PurchaseLine> lines) {
    PurchaseRequest request =
        new PurchaseRequest(new UserId(user), new IdempotencyKey(key), lines, 2_000);
    return Future.future(
        promise -> loop.runOnContext(turn -> buyers.send(request).onComplete(promise)));
  }

  /** One click; repeated where the machine stood still and so the engine could not say. */
  PurchaseReply buyNow(String user, String key, ItemId item, int quantity) throws Exception {
    long sinceNanos = System.nanoTime();
    PurchaseReply reply;
    do {
      reply = buyOnce(user, key, item, quantity);
    } while (asksToComeAgain(reply) && stoodStill(sinceNanos));
    return reply;
  }

  /** One click, whatever comes of it. */
  PurchaseReply buyOnce(String user, String key, ItemId item, int quantity) throws Exception {
    return Await.result(BOUND, "an answer", buy(user, key, item, quantity));
  }

  /** Buys as a shop's buyer does, who comes again when he is told to. */
  PurchaseReply buyPatiently(String user, String key, ItemId item, int quantity) throws Exception {
    return patiently(() -> buy(user, key, item, quantity));
  }

  /** Whether the answer is that the engine cannot say right now. */
  static boolean asksToComeAgain(PurchaseReply reply) {
    return reply.refusal() == ErrorCode.BUSY
        || reply.refusal() == ErrorCode.UNAVAILABLE
        || reply.refusal() == ErrorCode.OUTCOME_UNKNOWN;
  }

  static PurchaseReply patiently(Supplier<Future<PurchaseReply>> purchase) throws Exception {
    List<PurchaseReply> replies = new ArrayList<>();
    Await.until(
        BOUND,
        "an answer that lasts",
        () -> {
          replies.add(Await.result(BOUND, "an answer", purchase.get()));
          return !asksToComeAgain(replies.get(replies.size() - 1));
        });
    return replies.get(replies.size() - 1);
  }

  /**
   * Lets the users buy one unit each at once, each under a key of his own; all once more where the
   * machine stood still and so the engine could not say.
   */
  List<PurchaseReply> buyAtOnce(String prefix, int users, ItemId item) throws Exception {
    long sinceNanos = System.nanoTime();
    List<PurchaseReply> replies;
    do {
      List<Future<PurchaseReply>> buys = new ArrayList<>(users);
      for (int i = 0; i < users; i++) {
        buys.add(buy(prefix + i, "k", item, 1));
      }
      Await.result(BOUND, users + " answers", Future.join(buys));
      replies = buys.stream().map(Future::result).toList();
    } while (replies.stream().anyMatch(EngineFixture::asksToComeAgain) && stoodStill(sinceNanos));
    return replies;
  }

  /** Joins the line for the item; fails with {@code SeckillException} when he may not. */
  Future<WaitlistPlace> join(String user, ItemId item) {
    return request(Addresses.JOIN_WAITLIST, new WaitlistJoin(new UserId(user), item));
  }

  WaitlistPlace joinNow(String user, ItemId item) throws Exception {
    List<WaitlistPlace> places = new ArrayList<>();
    Await.until(
        BOUND,
        user + " to stand in line",
        () -> {
          Future<WaitlistPlace> joined = join(user, item);
          Await.until(BOUND, "an answer", joined::isComplete);
          if (joined.succeeded()) {
            places.add(joined.result());
          }
          return joined.succeeded();
        });
    return places.get(0);
  }

  /** Why the user may not join; null when he stands in line now. */
  ErrorCode refusalOfJoin(String user, ItemId item) throws Exception {
    Future<WaitlistPlace> joined = join(user, item);
    Await.until(BOUND, "an answer", joined::isComplete);
    return joined.succeeded() ? null : ((SeckillException) joined.cause()).code();
  }

  void leave(String user, ItemId item) throws Exception {
    Await.result(BOUND, user + " to leave the line", leaving(user, item));
  }

  Future<Done> leaving(String user, ItemId item) {
    return request(Addresses.LEAVE_WAITLIST, new WaitlistLeave(new UserId(user), item));
  }

  Future<Places> places(ItemId item, String... users) {
    return request(
        Addresses.WAITLIST_PLACES,
        new PlacesQuery(item, Arrays.stream(users).map(UserId::new).toList()));
  }

  /** The user's place in line; 0 when he does not wait. */
  long place(String user, ItemId item) throws Exception {
    return Await.result(BOUND, "a place", places(item, user)).places().stream()
        .mapToLong(WaitlistPlace::place)
        .findFirst()
        .orElse(0);
  }

  /** How many wait in line for the item, as the board says. */
  long waiting(ItemId item) throws Exception {
    return board().items().stream()
        .filter(view -> view.definition().id().equals(item))
        .mapToLong(ItemView::waiting)
        .findFirst()
        .orElse(0);
  }

  private <T> Future<T> request(String address, Record message) {
    return vertx
        .eventBus()
        .<T>request(address, message, OPTIONS)
        .map(Message::body)
        .recover(
            failure ->
                Future.failedFuture(BusFailures.translate(failure, ErrorCode.OUTCOME_UNKNOWN)));
  }

  /** One command, to the server that its first argument is on when that is a key. */
  Response redis(Command command, String... args) throws Exception {
    Request request = Request.cmd(command);
    for (String arg : args) {
      request.arg(arg);
    }
    return onProbe(args.length == 0 ? 0 : shardOf(args[0]), probe -> probe.send(request, 5_000));
  }

  /** Writes a key as it was dumped; null removes it. */
  void restore(String key, String dump) throws Exception {
    redis(Command.DEL, key);
    if (dump != null) {
      Buffer bytes = Buffer.buffer(dump.getBytes(StandardCharsets.ISO_8859_1));
      onProbe(
          shardOf(key),
          probe -> probe.send(Request.cmd(Command.RESTORE).arg(key).arg(0).arg(bytes), 5_000));
    }
  }

  /** By the hash tag; 0 for what is no key. */
  private int shardOf(String key) {
    String tag = key.substring(0, key.indexOf('}') + 1);
    return IntStream.range(0, keys.length)
        .filter(shard -> !tag.isEmpty() && keys[shard].head().startsWith(tag))
        .findFirst()
        .orElse(0);
  }

  private <T> T onProbe(int shard, Function<RedisLink, Future<T>> call) throws Exception {
    RedisLink probe = probes.get(shard);
    Await.until(BOUND, "the probe to be connected", () -> isUp(probe));
    return Await.result(
        BOUND,
        "a call",
        Future.future(promise -> loop.runOnContext(turn -> call.apply(probe).onComplete(promise))));
  }

  private boolean isUp(RedisLink probe) throws Exception {
    return Await.result(
        BOUND,
        "the state of the probe",
        Future.future(promise -> loop.runOnContext(turn -> promise.complete(probe.isUp()))));
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

  /**
   * Whether the machine stood still a moment ago and so a step that began at a moment is worth
   * another try; gives what was hurt a moment to heal.
   */
  private static boolean stoodStill(long sinceNanos) throws InterruptedException {
    if (Stalls.calm() || System.nanoTime() - sinceNanos > HEALED_NANOS) {
      return false;
    }
    TimeUnit.MILLISECONDS.sleep(HEAL_MS);
    return true;
  }

  /** Waits until the shards have so many units to sell: some may still be between two of them. */
  void awaitStockInAll(ItemId item, long units) throws Exception {
    Await.until(BOUND, units + " units on sale", () -> stockInAll(item) == units);
  }

  List<LogEntry> log(int shard) throws Exception {
    return entries(redis(Command.XRANGE, keys[shard].log(), "-", "+"));
  }

  private static List<LogEntry> entries(Response log) {
    List<LogEntry> entries = new ArrayList<>();
    for (Response entry : log) {
      Map<String, String> fields = new HashMap<>();
      Response flat = entry.get(1);
      for (int i = 0; i < flat.size(); i += 2) {
        fields.put(flat.get(i).toString(), flat.get(i + 1).toString());
      }
      entries.addAll(LogEntries.parseAll(entry.get(0).toString(), fields));
    }
    return entries;
  }

  /** Stores what is in the logs, as a consumer does. */
  void storeLogs() throws Exception {
    for (int shard = 0; shard < keys.length; shard++) {
      ledger.store(shard, log(shard));
    }
  }

  /** Stores what comes into the logs from now on, as a consumer does. */
  void keepStoring() {
    // On the loop that the probe belongs to.
    loop.runOnContext(
        turn -> {
          storeTimer = vertx.setPeriodic(STORE_MS, id -> storeSome());
        });
  }

  void stopStoring() {
    vertx.cancelTimer(storeTimer);
  }

  private void storeSome() {
    if (storing) {
      return;
    }
    storing = true;
    List<Future<Response>> logs = new ArrayList<>();
    for (int shard = 0; shard < keys.length; shard++) {
      Request log = Request.cmd(Command.XRANGE).arg(keys[shard].log()).arg("-").arg("+");
      logs.add(probes.get(shard).send(log, 5_000));
    }
    Future.join(logs)
        .onComplete(
            read -> {
              storing = false;
              for (int shard = 0; shard < keys.length; shard++) {
                if (logs.get(shard).succeeded()) {
                  ledger.store(shard, entries(logs.get(shard).result()));
                }
              }
            });
  }

  /** Takes one unit out of a shard for another one, and tells nobody. */
  void send(ItemId item, int from, int to) throws Exception {
    long epoch = redis(Command.HGET, keys[from].head(), "epoch").toLong();
    SendUnits.Args unit = new SendUnits.Args(item, 1, to, OptionalLong.empty());
    SendUnits.Result result =
        onProbe(
            from,
            probe -> SendUnits.run(probe, probe.fence(epoch, 5_000), keys[from], unit, 5_000));
    if (!(result instanceof SendUnits.Sent)) {
      throw new IllegalStateException("the script said " + result);
    }
  }

  /** Gives a win of a user of shard 0 back. */
  StepResult.Status release(ItemId item, String user, EntryId win) throws Exception {
    long epoch = redis(Command.HGET, keys[0].head(), "epoch").toLong();
    ReleaseWin.Args args =
        new ReleaseWin.Args(new UserId(user), win, "timeout", List.of(item), ItemGroups.NONE);
    return onProbe(
            0, probe -> ReleaseWin.run(probe, probe.fence(epoch, 5_000), keys[0], args, 5_000))
        .status();
  }

  /** Waits until the user's purchases are stored, and cancels the latest that holds units. */
  void cancel(String user) throws Exception {
    UserId id = new UserId(user);
    Await.until(
        BOUND,
        "an order to cancel",
        () -> {
          ledger.cancel(new UserShards(keys.length).shardOf(id), id);
          return true;
        });
  }

  /** Tells the engines that each shard has something to be released. */
  void tellOfReleases() {
    for (int shard = 0; shard < keys.length; shard++) {
      ledger.tellOfReleases(config.node().region(), shard);
    }
  }

  /** Waits until all that was cancelled is released, and that is stored. */
  void awaitReleased() throws Exception {
    Await.until(BOUND, "all releases to be stored", () -> ledger.releasesWaiting() == 0);
  }

  /** Tries of this node to release a win that came to this. */
  long releases(Releaser.Result result) {
    return (long)
        registry.get("seckill.engine.releases").tag("result", result.name()).counter().count();
  }

  /** Users in the receipt filters of this node. */
  long filterUsers() {
    return (long) registry.get("seckill.engine.filter.users").gauge().value();
  }

  /** Purchases of this node that were answered without asking Redis. */
  long riders() {
    return (long) registry.get("seckill.engine.riders").counter().count();
  }

  /** Purchases that this node has sent to Redis. */
  long sent() {
    return (long) registry.get("seckill.engine.batch.size").summary().totalAmount();
  }

  /** An id of a user of the shard. */
  String userOf(int shard, String prefix) {
    UserShards shards = new UserShards(keys.length);
    return IntStream.range(0, 1_000_000)
        .mapToObj(i -> prefix + i)
        .filter(user -> shards.shardOf(new UserId(user)) == shard)
        .findFirst()
        .orElseThrow();
  }

  /** Stops the node's verticles, in the reverse order of their start; the bus stays. */
  void undeploy() throws Exception {
    for (int i = deployments.size() - 1; i >= 0; i--) {
      Await.result(BOUND, "the node to stop", vertx.undeploy(deployments.get(i)));
    }
  }

  void close() throws Exception {
    Await.result(BOUND, "the end of Vert.x", vertx.close());
  }
}

package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.bus.BusCodecs;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemView.ShardMark;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.bus.PurchaseSender;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.PurchaseLine;
import io.seckill.engine.ReceiptFilters.Place;
import io.seckill.lua.StepResult;
import io.seckill.testkit.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A crowd that comes after the last unit asks Redis little, and whoever has won is never in it. */
class EngineRidersIT {

  private static final int CROWD = 2_000;

  private final List<EngineFixture> engines = new ArrayList<>();

  @AfterEach
  void stopEngines() throws Exception {
    for (EngineFixture engine : engines) {
      engine.close();
    }
  }

  private EngineFixture start(int shards) throws Exception {
    EngineFixture engine =
        new EngineFixture(
            EngineServers.STANDALONE.emptied(), Map.of("redis.shards", Integer.toString(shards)));
    engines.add(engine);
    return engine;
  }

  /** One more node, whose board is seldom read: it holds on to what it knows. */
  private EngineFixture startSlow(EngineFixture first) throws Exception {
    EngineFixture engine =
        new EngineFixture(
            first.config.redis().uri(),
            Map.of(
                "redis.shards",
                Integer.toString(first.keys.length),
                "engine.boardIntervalMs",
                "1000"),
            first.ledger);
    engines.add(engine);
    return engine;
  }

  /** Sells an item out to users that begin with "winner", and waits for its filters. */
  private static ItemId sellOut(EngineFixture engine, int units) throws Exception {
    ItemId item = engine.openItem(1, units, 1);
    for (int i = 0; i < units; i++) {
      assertThat(engine.buyPatiently("winner" + i, "k", item, 1).refusal()).isNull();
    }
    awaitFilters(engine, units);
    return item;
  }

  private static void awaitFilters(EngineFixture engine, long users) throws Exception {
    Await.until(
        EngineFixture.BOUND, "filters of " + users + " users", () -> engine.filterUsers() == users);
  }

  private static void assertRefused(List<PurchaseReply> crowd) {
    assertThat(crowd).extracting(PurchaseReply::refusal).containsOnly(ErrorCode.SOLD_OUT);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aCrowdAfterTheLastUnitShouldCostRedisFewPurchases(int shards) throws Exception {
    EngineFixture engine = start(shards);
    ItemId item = sellOut(engine, 40);
    long sentBefore = engine.sent();

    List<PurchaseReply> replies = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      replies.addAll(engine.buyAtOnce("crowd" + i + "-", CROWD, item));
    }

    assertRefused(replies);
    assertThat(engine.riders()).isGreaterThan(8_000);
    assertThat(engine.sent() - sentBefore).isLessThan(2_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aCrowdShouldRideAlongAlsoWhileSomebodyWaits(int shards) throws Exception {
    EngineFixture engine = start(shards);
    engine.keepStoring();
    ItemId item = sellOut(engine, 40);
    engine.joinNow("first", item);
    engine.joinNow("second", item);
    Await.until(EngineFixture.BOUND, "the board to know", () -> engine.waiting(item) == 2);
    long ridersBefore = engine.riders();

    assertRefused(engine.buyAtOnce("crowd", CROWD, item));
    assertThat(engine.riders()).isGreaterThan(ridersBefore + CROWD / 2);

    // He has a receipt now, and nobody takes him for one of the crowd.
    engine.cancel("winner0");
    List<PurchaseReply> replies = new ArrayList<>();
    Await.until(
        EngineFixture.BOUND,
        "the order of who waited longest",
        () -> {
          replies.addAll(engine.buyAtOnce("again" + replies.size() + "-", 200, item));
          return engine.buyPatiently("first", "-", item, 1).replayed();
        });
    assertRefused(replies);
  }

  @Test
  void OL_01_whoeverHasWonShouldGetHisOrderAmongACrowd() throws Exception {
    EngineFixture engine = start(1);
    ItemId item = sellOut(engine, 40);
    List<Future<PurchaseReply>> crowd = new ArrayList<>();
    List<Future<PurchaseReply>> again = new ArrayList<>();
    List<Future<PurchaseReply>> more = new ArrayList<>();

    for (int i = 0; i < CROWD; i++) {
      crowd.add(engine.buy("crowd" + i, "k", item, 1));
      if (i % 50 == 0) {
        again.add(engine.buy("winner" + i / 50, "k", item, 1));
        more.add(engine.buy("winner" + i / 50, "more", item, 1));
      }
    }
    Await.result(EngineFixture.BOUND, "answers", Future.join(crowd));
    Await.result(EngineFixture.BOUND, "answers", Future.join(again));
    Await.result(EngineFixture.BOUND, "answers", Future.join(more));

    assertThat(again).hasSize(40).allMatch(reply -> reply.result().replayed());
    assertThat(more).allMatch(reply -> reply.result().refusal() == ErrorCode.LIMIT_REACHED);
    assertRefused(crowd.stream().map(Future::result).toList());
    assertThat(engine.riders()).isPositive();
  }

  @Test
  void ST_09_whoeverWonThroughAnotherEngineShouldGetHisOrderFromOneThatHasNotHeardOfIt()
      throws Exception {
    EngineFixture engine = start(1);
    EngineFixture slow = startSlow(engine);
    ItemId item = sellOut(engine, 5);
    awaitFilters(slow, 5);

    for (int round = 0; round < 5; round++) {
      engine.changeNow(item, ItemChange.Action.RESTOCK, 3);
      String prefix = "round" + round + "-";
      assertThat(engine.buyAtOnce(prefix, 3, item)).allMatch(reply -> reply.refusal() == null);
      List<Future<PurchaseReply>> crowd = new ArrayList<>();
      List<Future<PurchaseReply>> again = new ArrayList<>();
      for (int i = 0; i < CROWD; i++) {
        crowd.add(slow.buy("crowd" + i, "k", item, 1));
        if (i % 200 == 199) {
          again.add(slow.buy(prefix + i / 200 % 3, "k", item, 1));
        }
      }
      Await.result(EngineFixture.BOUND, "answers", Future.join(crowd));
      Await.result(EngineFixture.BOUND, "answers", Future.join(again));

      assertThat(again).allMatch(reply -> reply.result().replayed());
      assertRefused(crowd.stream().map(Future::result).toList());
    }
  }

  @Test
  void ST_09_aRestockAmongACrowdShouldSellEveryUnit() throws Exception {
    EngineFixture engine = start(1);
    ItemId item = sellOut(engine, 5);
    List<Future<PurchaseReply>> crowd = new ArrayList<>();

    for (int i = 0; i < CROWD; i++) {
      crowd.add(engine.buy("before" + i, "k", item, 1));
    }
    Future<?> restocked = engine.change(item, ItemChange.Action.RESTOCK, 100);
    for (int i = 0; i < CROWD; i++) {
      crowd.add(engine.buy("beside" + i, "k", item, 1));
    }
    Await.result(EngineFixture.BOUND, "the restock", restocked);
    for (int i = 0; i < CROWD; i++) {
      crowd.add(engine.buy("after" + i, "k", item, 1));
    }
    Await.result(EngineFixture.BOUND, "answers", Future.join(crowd));

    assertThat(crowd.stream().filter(reply -> reply.result().refusal() == null)).hasSize(100);
    assertThat(engine.stock(0, item)).isZero();
  }

  @Test
  void ST_10_aReleasedUnitShouldBeSoldToACrowd() throws Exception {
    EngineFixture engine = start(1);
    ItemId item = sellOut(engine, 5);
    assertRefused(engine.buyAtOnce("early", CROWD, item));

    assertThat(engine.release(item, "winner3", winOf(engine, "winner3")))
        .isEqualTo(StepResult.Status.OK);
    List<PurchaseReply> crowd = engine.buyAtOnce("late", CROWD, item);

    assertThat(crowd.stream().filter(reply -> reply.refusal() == null)).hasSize(1);
    assertThat(engine.buyNow("winner3", "k", item, 1).replayed()).isTrue();
  }

  private static EntryId winOf(EngineFixture engine, String user) throws Exception {
    EntryId win = null;
    for (LogEntry entry : engine.log(0)) {
      if (entry instanceof LogEntry.Win its && its.user().value().equals(user)) {
        win = its.id();
      }
    }
    return win;
  }

  @Test
  void RF_01_aFilterOfAnEarlierEpochShouldSpeakForNobody() throws Exception {
    EngineFixture engine = start(1);
    ItemId item = sellOut(engine, 20);
    engine.storeLogs();
    long epoch = engine.redis(Command.HGET, engine.keys[0].head(), "epoch").toLong();

    // As if the shard's server had been started again.
    engine.redis(Command.HSET, engine.keys[0].head(), "runId", "another");
    List<PurchaseReply> crowd = engine.buyAtOnce("crowd", CROWD, item);
    Await.until(
        EngineFixture.BOUND,
        "the shard to be opened again",
        () -> engine.redis(Command.HGET, engine.keys[0].head(), "epoch").toLong() > epoch);

    assertThat(crowd)
        .allMatch(
            reply -> reply.refusal() == ErrorCode.SOLD_OUT || EngineFixture.asksToComeAgain(reply));
    for (int i = 0; i < 20; i++) {
      assertThat(engine.buyPatiently("winner" + i, "k", item, 1).replayed()).isTrue();
    }
    long ridersBefore = engine.riders();
    Await.until(
        EngineFixture.BOUND,
        "riders under the new epoch",
        () -> {
          assertRefused(engine.buyAtOnce("late", 100, item));
          return engine.riders() > ridersBefore;
        });
  }

  /** A node that only decides, with filters that the test makes. */
  private static final class Decider {
    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ReceiptFilters filters = new ReceiptFilters();
    private final Context loop = vertx.getOrCreateContext();
    private final PurchaseSender buyers;

    Decider(SeckillConfig config) throws Exception {
      BusCodecs.register(vertx.eventBus());
      EngineMetrics metrics = new EngineMetrics(registry, filters::users);
      EngineContext engine =
          new EngineContext(
              config,
              new ShardAccess(config.redis()),
              new SoldOutState(),
              filters,
              new Supply(metrics),
              metrics);
      Await.result(
          EngineFixture.BOUND, "the node", vertx.deployVerticle(new DecisionVerticle(engine)));
      Future<PurchaseSender> started =
          Future.future(
              promise ->
                  loop.runOnContext(
                      turn -> PurchaseSender.start(vertx, 10_000).onComplete(promise)));
      buyers = Await.result(EngineFixture.BOUND, "the way to the node", started);
    }

    /** Takes it as proved that nobody has a receipt while the shard has this mark. */
    void believeInNobody(ItemId item, ShardMark mark) {
      filters.put(new Place(0, item), new ReceiptFilter.Builder(mark, 0).build());
    }

    /** The users' answers; all of them come in one turn, so one call decides them. */
    List<PurchaseReply> buyAtOnce(List<String> users, ItemId item) throws Exception {
      List<PurchaseLine> lines = List.of(new PurchaseLine(item, new Quantity(1)));
      List<Future<PurchaseReply>> buys =
          Await.result(
              EngineFixture.BOUND,
              "the clicks",
              Future.future(
                  clicked ->
                      loop.runOnContext(
                          turn ->
                              clicked.complete(
                                  users.stream().map(user -> buy(user, lines)).toList()))));
      Await.result(EngineFixture.BOUND, "answers", Future.join(buys));
      return buys.stream().map(Future::result).toList();
    }

    private Future<PurchaseReply> buy(String user, List<PurchaseLine> lines) {
      return buyers.send(
          new PurchaseRequest(new UserId(user), new IdempotencyKey("k"), lines, 5_000));
    }

    double riders() {
      return registry.get("seckill.engine.riders").counter().count();
    }

    void close() throws Exception {
      Await.result(EngineFixture.BOUND, "the end of Vert.x", vertx.close());
    }
  }

  @Test
  void RF_02_aFilterShouldCountUnderItsOwnEpochAndCountOfUnitsOnly() throws Exception {
    EngineFixture engine = start(1);
    ItemId item = sellOut(engine, 20);
    long epoch = engine.redis(Command.HGET, engine.keys[0].head(), "epoch").toLong();
    long adds = engine.redis(Command.HGET, engine.keys[0].item(item), "adds").toLong();

    // Whoever leads has no receipt; those who would ride with him have.
    List<String> users = new ArrayList<>(List.of("stranger"));
    IntStream.range(0, 20).forEach(i -> users.add("winner" + i));
    Decider decider = new Decider(engine.config);
    try {
      for (ShardMark wrong :
          List.of(
              new ShardMark(epoch - 1, adds),
              new ShardMark(epoch + 1, adds),
              new ShardMark(epoch, adds - 1),
              new ShardMark(epoch, adds + 1))) {
        decider.believeInNobody(item, wrong);
        List<PurchaseReply> replies = decider.buyAtOnce(users, item);
        assertThat(replies.get(0).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
        assertThat(replies.subList(1, 21)).as("%s", wrong).allMatch(PurchaseReply::replayed);
      }
      assertThat(decider.riders()).isZero();

      // The other way round: such a filter is believed under the right mark.
      decider.believeInNobody(item, new ShardMark(epoch, adds));
      assertRefused(decider.buyAtOnce(List.of("a", "b", "c"), item));
      assertThat(decider.riders()).isEqualTo(2);
    } finally {
      decider.close();
    }
  }

  @Test
  void aVariantOfAGroupShouldHaveNoFilter() throws Exception {
    EngineFixture engine = start(1);
    ItemId plain = sellOut(engine, 5);
    ItemId variant = engine.openItem(EngineFixture.definition(2, 1, new ItemGroup("shoes", 1)), 5);
    assertThat(engine.buyAtOnce("fan", 5, variant)).allMatch(reply -> reply.refusal() == null);
    Await.until(EngineFixture.BOUND, "the news", () -> engine.isSoldOut(variant));
    assertRefused(engine.buyAtOnce("crowd", 100, plain));
    long riders = engine.riders();

    assertRefused(engine.buyAtOnce("crowd", 100, variant));

    assertThat(engine.riders()).isEqualTo(riders);
    assertThat(engine.filterUsers()).isEqualTo(5);
  }

  /** What the answers may be, in plain Java. One shard, limit 1. */
  private static final class Model {
    private final Map<String, Map<String, String>> ordersByKey = new HashMap<>();
    private final Map<String, Boolean> holds = new HashMap<>();
    private int granted;
    private int held;

    /** Checks an answer to a purchase that began when the model stood as it does. */
    void check(String user, String key, PurchaseReply reply) {
      String known = ordersByKey.getOrDefault(user, Map.of()).get(key);
      if (known != null) {
        assertThat(reply.replayed()).as("%s repeats %s: %s", user, key, reply).isTrue();
        assertThat(reply.orderId().value()).isEqualTo(known);
      } else if (holds.getOrDefault(user, false)) {
        assertThat(reply.refusal()).as("%s holds one", user).isEqualTo(ErrorCode.LIMIT_REACHED);
      } else {
        assertThat(reply.refusal()).isIn(null, ErrorCode.SOLD_OUT);
      }
    }

    void learn(String user, String key, PurchaseReply reply) {
      if (reply.refusal() == null && !reply.replayed()) {
        ordersByKey.computeIfAbsent(user, u -> new HashMap<>()).put(key, reply.orderId().value());
        holds.put(user, true);
        held++;
      }
    }
  }

  private record Click(String user, String key, Future<PurchaseReply> reply) {}

  @Test
  void I4_whoHoldsAReceiptShouldNeverHearSoldOutAndWhoHoldsNoneOnlyWhenItIsTrue() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    EngineFixture fast = start(1);
    EngineFixture slow = startSlow(fast);
    ItemId item = sellOut(fast, 10);
    awaitFilters(slow, 10);
    Model model = new Model();
    model.granted = 10;
    for (int i = 0; i < 10; i++) {
      model.learn("winner" + i, "k", fixed(fast, item, "winner" + i));
    }

    for (int round = 0; round < 25; round++) {
      String what = "round %d of seed %d".formatted(round, seed);
      if (random.nextInt(3) == 0) {
        int units = 1 + random.nextInt(3);
        fast.changeNow(item, ItemChange.Action.RESTOCK, units);
        model.granted += units;
      }
      if (random.nextInt(3) == 0) {
        releaseOne(fast, item, model, random);
      }
      boolean dry = model.held == model.granted;
      if (dry && random.nextBoolean()) {
        awaitFilters(fast, receipts(fast, item));
      }
      List<Click> clicks = new ArrayList<>();
      Map<String, Boolean> asked = new HashMap<>();
      for (int i = 0; i < 300; i++) {
        String user =
            random.nextInt(4) == 0 ? "winner" + random.nextInt(10) : "u" + random.nextInt(400);
        // One purchase of each user in a round, so that the model knows what he held.
        if (asked.put(user, true) == null) {
          String key = random.nextBoolean() ? "k" : "other";
          EngineFixture engine = random.nextBoolean() ? fast : slow;
          clicks.add(new Click(user, key, engine.buy(user, key, item, 1)));
        }
      }
      Await.result(
          EngineFixture.BOUND, what, Future.join(clicks.stream().map(Click::reply).toList()));
      boolean anySoldOut = false;
      for (Click click : clicks) {
        PurchaseReply reply = click.reply.result();
        model.check(click.user, click.key, reply);
        anySoldOut |= reply.refusal() == ErrorCode.SOLD_OUT;
      }
      clicks.forEach(click -> model.learn(click.user, click.key, click.reply.result()));
      assertThat(model.held).as(what).isLessThanOrEqualTo(model.granted);
      assertThat(fast.stock(0, item)).as(what).isEqualTo(model.granted - model.held);
      if (anySoldOut) {
        assertThat(model.held).as("I4, %s", what).isEqualTo(model.granted);
      }
    }
    assertThat(fast.riders() + slow.riders()).as("seed %d", seed).isPositive();
  }

  /** The first answer to a winner of the beginning, told again. */
  private static PurchaseReply fixed(EngineFixture engine, ItemId item, String user)
      throws Exception {
    PurchaseReply again = engine.buyNow(user, "k", item, 1);
    assertThat(again.replayed()).isTrue();
    return PurchaseReply.accepted(again.orderId(), 0);
  }

  private static void releaseOne(EngineFixture engine, ItemId item, Model model, Random random)
      throws Exception {
    List<String> holders =
        model.holds.entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    String user = holders.get(random.nextInt(holders.size()));
    assertThat(engine.release(item, user, winOf(engine, user))).isEqualTo(StepResult.Status.OK);
    model.holds.put(user, false);
    model.held--;
  }

  private static long receipts(EngineFixture engine, ItemId item) throws Exception {
    return engine.redis(Command.HLEN, engine.keys[0].receipts(item)).toLong();
  }
}

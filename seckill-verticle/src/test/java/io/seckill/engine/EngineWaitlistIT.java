package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.Places;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.WaitlistPlace;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.log.LogEntry;
import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Units that come back go to those who wait in line, in their order, and to nobody else. */
class EngineWaitlistIT {

  /** The click without a key, which finds the order that a waiter got by himself. */
  private static final String KEYLESS = "-";

  private final EngineNodes engines = new EngineNodes();

  @AfterEach
  void stopEngines() throws Exception {
    engines.stop();
  }

  @Test
  void aReleasedUnitShouldGoToWhoWaitsLongestAndNotToANewcomer() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = soldOutItem(engine, 1, 2, 1);
    assertThat(engine.joinNow("first", item)).isEqualTo(place("first", item, 1, 1, true));
    assertThat(engine.joinNow("second", item)).isEqualTo(place("second", item, 2, 2, true));
    assertThat(engine.joinNow("first", item)).isEqualTo(place("first", item, 1, 2, false));

    engine.cancel(buyer(engine, 0));
    engine.awaitReleased();

    assertThat(hasOrder(engine, "first", item)).isTrue();
    assertThat(engine.place("first", item)).isZero();
    assertThat(engine.place("second", item)).isEqualTo(1);
    assertThat(engine.buyNow("newcomer", "k", item, 1).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
    assertThat(engine.stockInAll(item)).isZero();

    engine.cancel(buyer(engine, 1));
    engine.awaitReleased();

    assertThat(hasOrder(engine, "second", item)).isTrue();
    assertThat(engine.buyNow("newcomer", "k", item, 1).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
    Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
    assertThat(promotions(engine, item)).containsExactly("first", "second");
    assertHeld(engine, item, 2);
  }

  @Test
  void newcomersShouldWinNothingWhileAnybodyWaits() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = soldOutItem(engine, 1, 40, 1);
    for (int i = 0; i < 40; i++) {
      engine.joinNow("w" + i, item);
    }

    List<Future<PurchaseReply>> newcomers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      engine.cancel(buyer(engine, i));
      engine.tellOfReleases();
      for (int j = 0; j < 5; j++) {
        newcomers.add(engine.buy("n" + i + "-" + j, "k", item, 1));
      }
    }
    engine.awaitReleased();
    Await.result(EngineFixture.BOUND, "answers", Future.join(newcomers));

    assertThat(newcomers.stream().map(Future::result))
        .allMatch(reply -> reply.refusal() == ErrorCode.SOLD_OUT);
    assertThat(promotions(engine, item))
        .containsExactlyElementsOf(IntStream.range(0, 40).mapToObj(i -> "w" + i).toList());
    assertHeld(engine, item, 40);
  }

  @Test
  void aRestockOfFewerUnitsThanWaitersShouldServeTheFirstOnes() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = soldOutItem(engine, 1, 2, 1);
    joinAll(engine, item, "w", 5);

    engine.changeNow(item, ItemChange.Action.RESTOCK, 3);

    Await.until(EngineFixture.BOUND, "the line to be shorter", () -> engine.waiting(item) == 2);
    assertThat(promotions(engine, item)).containsExactly("w0", "w1", "w2");
    assertThat(engine.place("w3", item)).isEqualTo(1);
    assertThat(engine.place("w4", item)).isEqualTo(2);
    assertThat(engine.buyNow("newcomer", "k", item, 1).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
    assertHeld(engine, item, 5);
  }

  @Test
  void aRestockOfMoreUnitsThanWaitersShouldServeAllAndSellTheRest() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = soldOutItem(engine, 1, 2, 1);
    // More than one call lets in.
    List<Future<WaitlistPlace>> joins = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      joins.add(engine.join("w" + i, item));
    }
    Await.result(EngineFixture.BOUND, "answers", Future.all(joins));

    engine.changeNow(item, ItemChange.Action.RESTOCK, 600);

    Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
    assertThat(promotions(engine, item)).hasSize(500).doesNotHaveDuplicates();
    assertThat(engine.stockInAll(item)).isEqualTo(100);
    assertThat(engine.buyPatiently("newcomer", "k", item, 1).refusal()).isNull();
    assertHeld(engine, item, 503);
  }

  @Test
  void aWaiterAtHisLimitShouldBeSkippedAndOut() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = engine.openItem(1, 3, 2);
    assertThat(engine.buyNow("u", "k", item, 1).refusal()).isNull();
    assertThat(engine.buyNow("greedy", "k", item, 1).refusal()).isNull();
    assertThat(engine.buyNow("v", "k", item, 1).refusal()).isNull();
    assertThat(engine.joinNow("greedy", item).place()).isEqualTo(1);
    assertThat(engine.joinNow("patient", item).place()).isEqualTo(2);
    Await.result(
        EngineFixture.BOUND,
        "the lower limit",
        engine.change("limit", item, ItemChange.Action.SET_LIMIT, ItemChange.Values.ofLimit(1)));

    engine.cancel("u");
    engine.awaitReleased();

    Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
    assertThat(promotions(engine, item)).containsExactly("patient");
    assertThat(counted(engine, Waitlist.Event.SKIPPED)).isEqualTo(1);
    assertThat(counted(engine, Waitlist.Event.PROMOTED)).isEqualTo(1);
    assertThat(engine.refusalOfJoin("greedy", item)).isEqualTo(ErrorCode.LIMIT_REACHED);
    assertHeld(engine, item, 3);
  }

  @Test
  void whoLeftShouldGetNothingAndTheItemShouldSellAgainWhenNobodyWaits() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemId item = soldOutItem(engine, 1, 4, 1);
    engine.joinNow("stays", item);
    engine.joinNow("leaves", item);
    engine.leave("leaves", item);
    engine.leave("leaves", item);
    engine.leave("never-came", item);
    assertThat(engine.place("leaves", item)).isZero();

    engine.cancel(buyer(engine, 0));
    Await.until(EngineFixture.BOUND, "the order", () -> promotions(engine, item).size() == 1);
    engine.cancel(buyer(engine, 1));
    engine.awaitReleased();

    assertThat(promotions(engine, item)).containsExactly("stays");
    Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
    Await.until(
        EngineFixture.BOUND,
        "the unit to sell",
        () -> engine.buyNow("newcomer", "k", item, 1).refusal() == null);
    assertHeld(engine, item, 4);
  }

  @Test
  void theLineShouldCloseWithTheSale() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemId item = soldOutItem(engine, 1, 4, 1);
    engine.joinNow("w", item);

    engine.changeNow(item, ItemChange.Action.END, 0);
    engine.cancel(buyer(engine, 0));
    engine.awaitReleased();

    assertThat(engine.refusalOfJoin("late", item)).isEqualTo(ErrorCode.ENDED);
    assertThat(engine.refusalOfJoin("w", item)).isEqualTo(ErrorCode.ENDED);
    assertThatThrownBy(() -> engine.place("w", item)).hasMessageContaining("ended");
    engine.leave("w", item);
    assertThat(engine.waiting(item)).isZero();
    assertThat(promotions(engine, item)).isEmpty();
    assertHeld(engine, item, 3);
  }

  @Test
  void whoNeedNotOrMayNotWaitShouldBeTold() throws Exception {
    for (int shards : new int[] {1, 3}) {
      EngineFixture engine = engines.start(shards, "engine.maxWaiters", "2");
      ItemId item = engine.openItem(1, 3L * shards, 1);
      assertThat(engine.refusalOfJoin("w", item)).isEqualTo(ErrorCode.NOT_SOLD_OUT);
      assertThat(engine.refusalOfJoin("w", new ItemId(99))).isEqualTo(ErrorCode.NOT_FOUND);
      buyAll(engine, item, 3 * shards);
      assertThat(engine.refusalOfJoin(buyer(engine, 0), item)).isEqualTo(ErrorCode.LIMIT_REACHED);

      String first = engine.userOf(0, "w");
      engine.joinNow(first, item);
      engine.joinNow(engine.userOf(0, "x"), item);
      assertThat(engine.refusalOfJoin(engine.userOf(0, "y"), item))
          .isEqualTo(ErrorCode.WAITLIST_FULL);
      engine.changeNow(item, ItemChange.Action.PAUSE, 0);
      assertThat(engine.refusalOfJoin("late", item)).isEqualTo(ErrorCode.PAUSED);
      assertThat(engine.joinNow(first, item)).isEqualTo(place(first, item, 1, 2, false));
      stopEngines();
    }
  }

  @Test
  void anItemThatIsNotPreheatedShouldHaveNoLineYet() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemId item = new ItemId(1);
    engine.ledger.create(EngineFixture.definition(1, 1, null), 2);
    Await.until(
        EngineFixture.BOUND,
        "the item to be known",
        () -> engine.refusalOfJoin("w", item) == ErrorCode.NOT_READY);

    Future<Places> places = engine.places(item, "w");
    Await.until(EngineFixture.BOUND, "an answer", places::isComplete);

    assertThat(((SeckillException) places.cause()).code()).isEqualTo(ErrorCode.NOT_READY);
  }

  @Test
  void joinsOfWhatIsOnSaleShouldNotKeepTheBoardOff() throws Exception {
    EngineFixture engine = engines.start(3);
    ItemId item = engine.openItem(1, 300, 1);
    AtomicBoolean goOn = new AtomicBoolean(true);
    Set<ErrorCode> refusals = ConcurrentHashMap.newKeySet();
    Set<Long> boards = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      joinAgain(engine, "w" + i, item, refusals, goOn);
    }

    Await.until(
        EngineFixture.BOUND,
        "many boards",
        () -> boards.add(engine.board().atMs()) && boards.size() >= 20);

    goOn.set(false);
    assertThat(refusals).contains(ErrorCode.NOT_SOLD_OUT);
    assertThat(engine.waiting(item)).isZero();
  }

  private static void joinAgain(
      EngineFixture engine, String user, ItemId item, Set<ErrorCode> refusals, AtomicBoolean goOn) {
    engine
        .join(user, item)
        .onFailure(
            failure -> {
              refusals.add(((SeckillException) failure).code());
              if (goOn.get()) {
                joinAgain(engine, user, item, refusals, goOn);
              }
            });
  }

  @Test
  void aHundredJoinsAtOnceShouldBeOne() throws Exception {
    EngineFixture engine = engines.start(3);
    EngineFixture second = engines.startSecond(engine);
    ItemId item = soldOutItem(engine, 1, 3, 1);
    Await.until(EngineFixture.BOUND, "both to know", () -> second.isSoldOut(item));

    List<Future<WaitlistPlace>> joins = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      joins.add(engine.join("w", item));
      joins.add(second.join("w", item));
    }
    Await.result(EngineFixture.BOUND, "answers", Future.all(joins));

    assertThat(joins.stream().map(Future::result).filter(WaitlistPlace::joined)).hasSize(1);
    assertThat(joins.stream().map(Future::result))
        .allMatch(place -> place.place() == 1 && place.waiting() == 1);
    engine.cancel(buyer(engine, 0));
    engine.cancel(buyer(engine, 1));
    engine.awaitReleased();
    Await.until(EngineFixture.BOUND, "one unit on sale", () -> engine.stockInAll(item) == 1);
    assertThat(promotions(engine, item)).containsExactly("w");
  }

  @Test
  void anEngineShouldLearnTheGroupOfWhatIsWaitedFor() throws Exception {
    EngineFixture engine = engines.start(1);
    EngineFixture second = engines.startSecond(engine, "engine.ledgerIntervalMs", "60000");
    ItemGroup phones = new ItemGroup("phones", 1);
    ItemId red = engine.openItem(EngineFixture.definition(1, 1, phones), 1);
    ItemId blue = engine.openItem(EngineFixture.definition(2, 1, phones), 1);
    assertThat(engine.buyNow("u", "k", red, 1).refusal()).isNull();
    assertThat(engine.buyNow("v", "k", blue, 1).refusal()).isNull();

    assertThat(second.joinNow("w", red).place()).isEqualTo(1);
    assertThat(second.refusalOfJoin("v", red)).isEqualTo(ErrorCode.LIMIT_REACHED);
    assertThat(second.joinNow("w", blue).place()).isEqualTo(1);
    engine.cancel("u");
    engine.cancel("v");
    engine.awaitReleased();

    // One of the group is what he may have; so he is out of the other line.
    Await.until(
        EngineFixture.BOUND,
        "both lines to be empty",
        () -> engine.waiting(red) + engine.waiting(blue) == 0);
    assertThat(promotions(engine, red).size() + promotions(engine, blue).size()).isEqualTo(1);
  }

  @Test
  void ST_02_aUnitOfAnotherShardShouldReachTheOldestWaiterOfAll() throws Exception {
    EngineFixture engine = engines.start(4);
    ItemId item = soldOutItem(engine, 1, 8, 1);
    String first = engine.userOf(2, "first");
    String second = engine.userOf(1, "second");
    String third = engine.userOf(2, "third");
    assertThat(engine.joinNow(first, item)).isEqualTo(place(first, item, 1, 1, true));
    assertThat(engine.joinNow(second, item)).isEqualTo(place(second, item, 2, 2, true));
    assertThat(engine.joinNow(third, item)).isEqualTo(place(third, item, 3, 3, true));
    List<String> holders = holdersOf(engine, item, 0);
    holders.addAll(holdersOf(engine, item, 3));

    List<String> expected = List.of(first, second, third);
    for (int served = 0; served < 3; served++) {
      String winner = expected.get(served);
      engine.cancel(holders.remove(0));
      engine.awaitReleased();
      Await.until(
          EngineFixture.BOUND,
          winner + " to have his unit",
          () -> promotions(engine, item).contains(winner));
      assertThat(promotions(engine, item)).hasSize(served + 1);
    }

    Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
    assertThat(transferred(engine)).isEqualTo(3);
    assertHeld(engine, item, 8);
  }

  @Test
  void ST_02_noUnitShouldStrandWhenManyComeBackWhileManyWait() throws Exception {
    EngineFixture engine = engines.start(4);
    EngineFixture second = engines.startSecond(engine);
    ItemId item = soldOutItem(engine, 1, 60, 1);
    // Half of them in one shard, so that its line is longer than what comes back there.
    for (int i = 0; i < 20; i++) {
      engine.joinNow(engine.userOf(1, "a" + i + "-"), item);
      second.joinNow("b" + i, item);
    }

    engine.ledger.cancelAll(item);
    engine.tellOfReleases();
    engine.awaitReleased();

    Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
    engine.awaitStockInAll(item, 20);
    assertThat(promotions(engine, item)).hasSize(40).doesNotHaveDuplicates();
    for (int i = 0; i < 20; i++) {
      String user = "n" + i;
      Await.until(
          EngineFixture.BOUND,
          "the rest to sell",
          () -> engine.buyNow(user, "k", item, 1).refusal() == null);
    }
    assertHeld(engine, item, 60);
  }

  @Test
  void newcomersOfAllShardsShouldBeToldAtOnceThatSomebodyWaits() throws Exception {
    EngineFixture engine = engines.start(4);
    ItemId item = soldOutItem(engine, 1, 8, 1);
    String waiter = engine.userOf(2, "w");
    engine.joinNow(waiter, item);
    Await.until(EngineFixture.BOUND, "the board to know", () -> engine.waiting(item) == 1);

    engine.cancel(holdersOf(engine, item, 0).get(0));
    engine.tellOfReleases();
    List<PurchaseReply> newcomers = new ArrayList<>();
    Await.until(
        EngineFixture.BOUND,
        "the waiter to have his unit",
        () -> {
          newcomers.addAll(engine.buyAtOnce("n" + newcomers.size() + "-", 8, item));
          return promotions(engine, item).contains(waiter);
        });

    assertThat(newcomers).allMatch(reply -> reply.refusal() == ErrorCode.SOLD_OUT);
  }

  @Test
  void anEngineThatDiedAfterSendingAWaitersUnitShouldStrandNothing() throws Exception {
    EngineFixture engine = engines.start(3);
    ItemId item = soldOutItem(engine, 1, 6, 1);
    String waiter = engine.userOf(2, "w");
    engine.joinNow(waiter, item);
    engine.stopStoring();
    engine.ledger.loseTransfers(true);

    engine.storeLogs();
    engine.cancel(holdersOf(engine, item, 0).get(0));
    Await.until(EngineFixture.BOUND, "the unit to be sent", () -> sent(engine, item) == 1);
    assertThat(promotions(engine, item)).isEmpty();

    engine.ledger.loseTransfers(false);
    engine.keepStoring();
    Await.until(
        EngineFixture.BOUND,
        "the waiter to have his unit",
        () -> promotions(engine, item).contains(waiter));
    assertHeld(engine, item, 6);
  }

  @Test
  void anEngineThatDiedRightAfterALeaveShouldLeaveNoUnitBehind() throws Exception {
    EngineFixture engine = engines.start(2);
    EngineFixture second = engines.startSecond(engine);
    ItemId item = soldOutItem(engine, 1, 4, 1);
    String waiter = engine.userOf(1, "w");
    engine.joinNow(waiter, item);
    Await.until(EngineFixture.BOUND, "both to know", () -> second.waiting(item) == 1);
    // The unit comes into another shard than his, and nobody can bring it over.
    engine.ledger.loseTransfers(true);
    engine.cancel(holdersOf(engine, item, 0).get(0));
    engine.awaitReleased();
    engine.leave(waiter, item);
    engine.undeploy();
    engine.ledger.loseTransfers(false);

    Await.until(
        EngineFixture.BOUND,
        "the unit to sell",
        () -> second.buyNow("newcomer", "k", item, 1).refusal() == null);
    assertHeld(second, item, 4);
  }

  @Test
  void RF_03_theLineShouldStandInItsOrderAfterRedisWasEmptied() throws Exception {
    for (int shards : new int[] {1, 3}) {
      EngineFixture engine = engines.start(shards);
      ItemId other = soldOutItem(engine, 2, 3, 1);
      ItemId item = soldOutItem(engine, 1, 12, 1);
      joinAll(engine, item, "w", 12);
      joinAll(engine, other, "w", 2);
      engine.leave("w3", item);
      engine.cancel(buyer(engine, 0));
      Await.until(EngineFixture.BOUND, "a first order", () -> promotions(engine, item).size() == 1);
      List<String> before = line(engine, item, 12);
      assertThat(before).hasSize(10);
      engine.stopStoring();
      engine.storeLogs();

      engine.redis(Command.FLUSHALL);
      engine.keepStoring();
      Await.until(
          EngineFixture.BOUND, "the line to be back", () -> line(engine, item, 12).equals(before));
      assertThat(line(engine, other, 2)).containsExactly("w0", "w1");
      assertThat(engine.buyPatiently("newcomer", "k", item, 1).refusal())
          .isEqualTo(ErrorCode.SOLD_OUT);
      // Who comes after the loss comes behind those who came before it.
      assertThat(engine.joinNow("late", item).place()).isEqualTo(11);

      engine.ledger.cancelAll(item);
      engine.tellOfReleases();
      engine.awaitReleased();
      Await.until(EngineFixture.BOUND, "nobody to wait", () -> engine.waiting(item) == 0);
      assertThat(engine.ledger.held(item) + engine.stockInAll(item)).isEqualTo(12);
      stopEngines();
    }
  }

  @Test
  void waitersShouldBeServedWhenTheirShardIsOpenedAgain() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = soldOutItem(engine, 1, 3, 1);
    joinAll(engine, item, "w", 3);

    for (int round = 0; round < 3; round++) {
      // As if the server had been started again, just when the news come.
      engine.redis(Command.HSET, engine.keys[0].head(), "runId", "another");
      engine.cancel(buyer(engine, round));
      engine.tellOfReleases();
      engine.awaitReleased();
    }

    assertThat(promotions(engine, item)).containsExactly("w0", "w1", "w2");
    assertHeld(engine, item, 3);
  }

  @Test
  void aPlaceShouldNeverGetWorse() throws Exception {
    EngineFixture engine = engines.start(3);
    ItemId item = soldOutItem(engine, 1, 30, 1);
    Random random = new Random(7);
    List<String> line = new ArrayList<>();
    Map<String, Long> lastPlaces = new HashMap<>();
    int cancelled = 0;

    for (int step = 0; step < 150; step++) {
      switch (random.nextInt(6)) {
        case 0 -> {
          if (!line.isEmpty()) {
            engine.leave(line.remove(random.nextInt(line.size())), item);
          }
        }
        case 1 -> {
          if (cancelled < 20) {
            engine.cancel(buyer(engine, cancelled++));
            engine.tellOfReleases();
          }
        }
        default -> {
          String user = "w" + step;
          line.add(user);
          Future<WaitlistPlace> joined = engine.join(user, item);
          Await.until(EngineFixture.BOUND, "an answer", joined::isComplete);
          if (joined.succeeded()) {
            lastPlaces.put(user, joined.result().place());
          } else {
            line.remove(user);
          }
        }
      }
      for (WaitlistPlace place : placesOf(engine, item, line)) {
        assertThat(place.place())
            .as("place of %s at step %d", place.user(), step)
            .isLessThanOrEqualTo(lastPlaces.get(place.user().value()))
            .isPositive();
        lastPlaces.put(place.user().value(), place.place());
      }
    }
    assertThat(promotions(engine, item)).doesNotHaveDuplicates().isNotEmpty();
  }

  /**
   * Whatever happens together: what is stored in the end is a line in which nobody was passed over,
   * and no unit is left beside it. Repeated by {@code -Dseed=…}.
   */
  @Test
  void anyHistoryShouldKeepTheOrderOfTheLineAndStrandNothing() throws Exception {
    EngineFixture engine = engines.start(3);
    EngineFixture second = engines.startSecond(engine);
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    ItemId item = engine.openItem(1, 20, 2);
    long units = 20;
    List<Future<?>> asked = new ArrayList<>();

    for (int step = 0; step < 150; step++) {
      if (step == 80) {
        engine.redis(Command.FLUSHALL);
      }
      EngineFixture node = random.nextBoolean() ? engine : second;
      String user = "u" + random.nextInt(40);
      switch (random.nextInt(20)) {
        case 0 -> {
          long more = 1L + random.nextInt(4);
          units += more;
          // Written by the ledger at once, and brought to the shards whenever they are open.
          asked.add(engine.change(item, ItemChange.Action.RESTOCK, more));
        }
        case 1 ->
            engine.redis(
                Command.HSET, engine.keys[random.nextInt(3)].head(), "runId", "another" + step);
        case 2 -> engine.ledger.loseTransfers(random.nextBoolean());
        case 3, 4 -> asked.add(node.leaving(user, item));
        case 5, 6, 7 -> {
          engine.ledger.cancelSome(random, item);
          engine.tellOfReleases();
        }
        case 8, 9, 10, 11 -> asked.add(node.buy(user, "k" + step, item, 1 + random.nextInt(2)));
        default -> asked.add(node.join(user, item));
      }
      if (step % 10 == 0) {
        Await.until(
            EngineFixture.BOUND,
            "answers, seed " + seed,
            () -> asked.stream().allMatch(Future::isComplete));
      }
    }
    engine.ledger.loseTransfers(false);
    engine.tellOfReleases();
    engine.awaitReleased();

    long all = units;
    Await.until(
        EngineFixture.BOUND,
        "every unit to be held, or on sale with nobody in line, seed " + seed,
        () -> {
          long left = engine.stockInAll(item);
          return engine.ledger.held(item) + left == all
              && (left == 0 || engine.waiting(item) == 0)
              && engine.ledger.travelling(item) == 0;
        });
    for (int shard = 0; shard < 3; shard++) {
      List<String> line = new ArrayList<>();
      for (LogEntry entry : engine.ledger.log(shard)) {
        follow(line, entry, "shard " + shard + ", seed " + seed);
      }
      assertThat(redisLine(engine, shard, item)).as("seed " + seed).isEqualTo(line);
    }
  }

  /** Takes an entry's effect on the line of its shard, which has no other item. */
  private static void follow(List<String> line, LogEntry entry, String where) {
    if (entry instanceof LogEntry.Joined joined) {
      assertThat(line).as(where).doesNotContain(joined.user().value());
      line.add(joined.user().value());
    } else if (entry instanceof LogEntry.Left left) {
      assertThat(line.remove(left.user().value())).as(where).isTrue();
    } else if (entry instanceof LogEntry.Promotion) {
      String user = entry.taken().orElseThrow().user().value();
      assertThat(line).as(where + ", " + entry.id()).startsWith(user);
      line.remove(user);
    } else if (entry instanceof LogEntry.Win) {
      assertThat(line).as(where + ": nobody is served before those who wait").isEmpty();
    }
  }

  private static List<String> redisLine(EngineFixture engine, int shard, ItemId item)
      throws Exception {
    List<String> users = new ArrayList<>();
    engine
        .redis(Command.ZRANGE, engine.keys[shard].waitlist(item), "0", "-1")
        .forEach(user -> users.add(user.toString()));
    return users;
  }

  @Test
  void anEngineUnderTooManyQuestionsShouldAnswerAllInTime() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemId item = soldOutItem(engine, 1, 2, 1);
    List<Future<WaitlistPlace>> joins = new ArrayList<>();
    for (int i = 0; i < 12_000; i++) {
      joins.add(engine.join("w" + i, item));
    }
    Await.until(EngineFixture.BOUND, "answers", () -> joins.stream().allMatch(Future::isComplete));

    long inLine = joins.stream().filter(Future::succeeded).count();
    assertThat(inLine).isPositive();
    assertThat(joins.stream().filter(Future::failed).map(Future::cause))
        .allMatch(
            failure ->
                failure instanceof SeckillException e
                    && (e.code() == ErrorCode.BUSY || e.code() == ErrorCode.OUTCOME_UNKNOWN));
    Await.until(EngineFixture.BOUND, "the board", () -> engine.waiting(item) >= inLine);
  }

  /** An item whose units all belong to buyers of all shards, and are stored. */
  private static ItemId soldOutItem(EngineFixture engine, long id, int units, int limit)
      throws Exception {
    ItemId item = engine.openItem(id, units, limit);
    buyAll(engine, item, units);
    return item;
  }

  private static String buyer(EngineFixture engine, int number) {
    return engine.userOf(number % engine.keys.length, "u" + number + "-");
  }

  private static void buyAll(EngineFixture engine, ItemId item, int units) throws Exception {
    for (int i = 0; i < units; i++) {
      assertThat(engine.buyPatiently(buyer(engine, i), "k", item, 1).refusal()).isNull();
    }
    Await.until(EngineFixture.BOUND, "it to be sold out", () -> engine.isSoldOut(item));
    assertHeld(engine, item, units);
  }

  private static void joinAll(EngineFixture engine, ItemId item, String prefix, int users)
      throws Exception {
    for (int i = 0; i < users; i++) {
      engine.joinNow(prefix + i, item);
    }
  }

  private static WaitlistPlace place(
      String user, ItemId item, long place, long waiting, boolean joined) {
    return new WaitlistPlace(new UserId(user), item, place, waiting, joined);
  }

  private static boolean hasOrder(EngineFixture engine, String user, ItemId item) throws Exception {
    return engine.buyNow(user, KEYLESS, item, 1).replayed();
  }

  private static List<WaitlistPlace> placesOf(EngineFixture engine, ItemId item, List<String> users)
      throws Exception {
    if (users.isEmpty()) {
      return List.of();
    }
    Places places =
        Await.result(
            EngineFixture.BOUND, "places", engine.places(item, users.toArray(String[]::new)));
    return places.places();
  }

  /** Those of {@code w0} … who wait, in their order; nobody while that is not known. */
  private static List<String> line(EngineFixture engine, ItemId item, int users) throws Exception {
    String[] all = IntStream.range(0, users).mapToObj(i -> "w" + i).toArray(String[]::new);
    Future<Places> places = engine.places(item, all);
    Await.until(EngineFixture.BOUND, "an answer", places::isComplete);
    if (places.failed()) {
      return List.of();
    }
    List<String> line = new ArrayList<>();
    for (int place = 1; place <= users; place++) {
      int wanted = place;
      places.result().places().stream()
          .filter(found -> found.place() == wanted)
          .forEach(found -> line.add(found.user().value()));
    }
    return line;
  }

  /** Who got a unit by waiting, shard by shard in the order in which they did. */
  private static List<String> promotions(EngineFixture engine, ItemId item) throws Exception {
    List<String> users = new ArrayList<>();
    for (int shard = 0; shard < engine.keys.length; shard++) {
      wins(engine, shard, item)
          .filter(entry -> entry instanceof LogEntry.Promotion)
          .forEach(entry -> users.add(entry.taken().orElseThrow().user().value()));
    }
    return users;
  }

  /** Buyers of a shard. */
  private static List<String> holdersOf(EngineFixture engine, ItemId item, int shard)
      throws Exception {
    return new ArrayList<>(
        wins(engine, shard, item)
            .map(entry -> entry.taken().orElseThrow().user().value())
            .toList());
  }

  private static Stream<LogEntry> wins(EngineFixture engine, int shard, ItemId item)
      throws Exception {
    return engine.log(shard).stream()
        .filter(
            entry ->
                entry.taken().isPresent()
                    && entry.taken().orElseThrow().lines().get(0).item().equals(item));
  }

  private static long sent(EngineFixture engine, ItemId item) throws Exception {
    long units = 0;
    for (int shard = 0; shard < engine.keys.length; shard++) {
      units +=
          engine.log(shard).stream()
              .filter(entry -> entry instanceof LogEntry.UnitsSent sent && sent.item().equals(item))
              .count();
    }
    return units;
  }

  private static double counted(EngineFixture engine, Waitlist.Event event) {
    return engine.registry.counter("seckill.engine.waitlist", "event", event.name()).count();
  }

  private static long transferred(EngineFixture engine) {
    return (long)
        engine.registry.counter("seckill.engine.transfer.units", "cause", "WAITLIST").count();
  }

  private static void assertHeld(EngineFixture engine, ItemId item, long units) throws Exception {
    Await.until(
        EngineFixture.BOUND, units + " units held", () -> engine.ledger.held(item) == units);
  }
}

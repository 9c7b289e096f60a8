package io.seckill.lua;

import static io.seckill.lua.TestShard.NO_LIMITS;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.basket;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.DecidePurchases.Batch;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Limits;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.lua.DecidePurchases.Refused;
import io.seckill.testkit.Await;
import io.seckill.testkit.Stalls;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(TestServer.class)
class DecidePurchasesScriptIT {

  /** Half a round trip to a server on a machine that stood still for a while. */
  private static final long CLOCK_ERROR_MS = 1_000;

  @Parameter TestServer server;

  private TestShard shard;

  @BeforeEach
  void open() {
    shard = TestShard.open(server.address());
  }

  @AfterEach
  void close() {
    if (shard != null) {
      shard.close();
    }
  }

  private static List<PurchaseStatus> statuses(List<Decision> decisions) {
    return decisions.stream().map(Decision::status).toList();
  }

  // Wins and replays

  @Test
  void purchaseShouldWinAndLeaveOneEntryAndOneReceipt() {
    ItemId item = shard.sell(2, 10);
    Purchase purchase = buy("alice", "k1", item, 2);

    Decision decision = shard.decideOne(purchase);

    EntryId place = new EntryId(shard.epoch(), 4);
    assertThat(decision).isEqualTo(new Decision(PurchaseStatus.WIN, place, 8));
    assertThat(shard.stock(item)).isEqualTo("8");
    LogEntry.Win win = shard.wins().get(0);
    assertThat(shard.receipt(item, "alice"))
        .isEqualTo("2;" + purchase.keyDigest() + "||" + place + "|2|h|" + win.atMs());
    assertThat(win)
        .isEqualTo(
            new LogEntry.Win(
                place,
                win.atMs(),
                new UserId("alice"),
                purchase.keyDigest(),
                "",
                List.of(new LogEntry.WinLine(item, 2, 1999, "CNY", 2, 2, 900_000))));
    // The link only guesses what time it is on the server.
    long nowMs = shard.link.serverTimeMs();
    assertThat(win.atMs()).isBetween(nowMs - 60_000, nowMs + 10_000);
  }

  @Test
  void OL_01_purchaseShouldReplayWhenKeyAndBodyAreTheSame() {
    ItemId item = shard.sell(1, 1);
    Purchase purchase = buy("alice", "k1", item, 1);
    EntryId win = shard.win(purchase);
    String before = shard.everything(item);

    assertThat(shard.decide(purchase, purchase))
        .containsOnly(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(shard.everything(item)).isEqualTo(before);
  }

  @Test
  void purchaseShouldReplayWhenTheWinIsEarlierInTheSameBatch() {
    ItemId item = shard.sell(3, 10);
    List<Decision> decisions =
        shard.decide(
            buy("alice", "k1", item, 1), buy("alice", "k1", item, 1), buy("alice", "k1", item, 2));
    assertThat(statuses(decisions))
        .containsExactly(PurchaseStatus.WIN, PurchaseStatus.REPLAY, PurchaseStatus.CONFLICT);
    assertThat(decisions.get(1).entry()).isEqualTo(decisions.get(0).entry());
    assertThat(shard.stock(item)).isEqualTo("9");
  }

  @Test
  void keylessPurchaseShouldReplayWhileItsWinIsHeldAndBeNewOnceItIsReleased() {
    ItemId item = shard.sell(5, 10);
    Purchase keyless = buy("alice", null, item, 1);
    EntryId first = shard.win(keyless);
    assertThat(shard.decideOne(keyless)).isEqualTo(new Decision(PurchaseStatus.REPLAY, first, 0));

    shard.release("alice", first, item);
    EntryId second = shard.win(keyless);

    assertThat(second).isGreaterThan(first);
    assertThat(shard.decideOne(keyless).entry()).isEqualTo(second);
    assertThat(shard.stock(item)).isEqualTo("9");
  }

  @Test
  void purchaseShouldReplayWhenTheItemIsSoldOutPausedOrEnded() {
    ItemDefinition definition = shard.define(1);
    ItemId item = shard.sell(definition, 1);
    Purchase purchase = buy("alice", "k1", item, 1);
    Decision replay = new Decision(PurchaseStatus.REPLAY, shard.win(purchase), 0);

    assertThat(shard.decide(buy("bob", "k1", item, 1), purchase).get(1)).isEqualTo(replay);
    shard.put(definition, 3, ItemState.PAUSED);
    assertThat(shard.decideOne(purchase)).isEqualTo(replay);
    shard.put(definition, 4, ItemState.ENDED);
    assertThat(shard.decideOne(purchase)).isEqualTo(replay);
  }

  @Test
  void keyedPurchaseShouldReplayWhenItsWinIsReleased() {
    ItemId item = shard.sell(1, 1);
    Purchase purchase = buy("alice", "k1", item, 1);
    EntryId win = shard.win(purchase);
    shard.release("alice", win, item);

    assertThat(shard.decideOne(purchase)).isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(shard.decideOne(buy("alice", "k2", item, 1)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void purchaseShouldConflictWhenTheKeyIsTheSameAndTheBodyIsNot() {
    ItemId one = shard.sell(3, 10);
    ItemId two = shard.sell(3, 10);
    shard.win(buy("alice", "k1", one, 1));
    shard.win(buy("alice", null, two, 1));
    String before = shard.everything(one, two);

    assertThat(
            statuses(
                shard.decide(
                    buy("alice", "k1", one, 2),
                    basket("alice", "k1", Map.of(one, 1, two, 1)),
                    buy("alice", null, two, 2))))
        .containsOnly(PurchaseStatus.CONFLICT);
    assertThat(shard.everything(one, two)).isEqualTo(before);
    assertThat(shard.decideOne(buy("bob", "k1", one, 2)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  // Limits

  @Test
  void purchaseShouldNameTheHeldWinWhenItWouldExceedTheLimit() {
    ItemId item = shard.sell(3, 10);
    EntryId released = shard.win(buy("alice", "k1", item, 1));
    EntryId held = shard.win(buy("alice", "k2", item, 1));
    EntryId later = shard.win(buy("alice", "k3", item, 1));
    shard.release("alice", later, item);
    shard.release("alice", released, item);
    String before = shard.everything(item);

    assertThat(shard.decideOne(buy("alice", "k4", item, 3)))
        .isEqualTo(new Decision(PurchaseStatus.LIMIT, held, 0));
    assertThat(shard.decideOne(buy("bob", "k1", item, 4)))
        .isEqualTo(new Decision(PurchaseStatus.LIMIT, null, 0));
    assertThat(shard.everything(item)).isEqualTo(before);
    assertThat(shard.decideOne(buy("alice", "k4", item, 2)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void loweredLimitShouldBindNewPurchasesOnly() {
    ItemDefinition definition = shard.define(3);
    ItemId item = shard.sell(definition, 10);
    Purchase three = buy("alice", "k1", item, 3);
    EntryId win = shard.win(three);
    shard.put(shard.define(item, 1), 3, ItemState.OPEN);

    assertThat(shard.decideOne(three)).isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(shard.decideOne(buy("alice", "k2", item, 1)).status())
        .isEqualTo(PurchaseStatus.LIMIT);
    assertThat(shard.receipt(item, "alice")).startsWith("3;");
  }

  @Test
  void ST_04_repeatedPurchasesOfOneUserShouldCostOneUnitWhenTheyComeInOneBatch() {
    ItemId item = shard.sell(1, 10);
    Purchase[] clicks =
        IntStream.range(0, 200)
            .mapToObj(i -> buy("alice", "click-" + i, item, 1))
            .toArray(Purchase[]::new);
    List<PurchaseStatus> statuses = statuses(shard.decide(clicks));
    assertThat(Collections.frequency(statuses, PurchaseStatus.WIN)).isEqualTo(1);
    assertThat(Collections.frequency(statuses, PurchaseStatus.LIMIT)).isEqualTo(199);
    assertThat(shard.stock(item)).isEqualTo("9");

    for (int i = 0; i < 9; i++) {
      shard.win(buy("other-" + i, null, item, 1));
    }
    assertThat(shard.decideOne(buy("late", null, item, 1)))
        .isEqualTo(new Decision(PurchaseStatus.DRY, null, 0));
    assertThat(shard.wins()).hasSize(10);
  }

  @Test
  void ST_06_parallelPurchasesOfOneUserShouldNeverExceedTheLimit() {
    ItemId item = shard.sell(3, 100);
    List<Future<DecidePurchases.Result>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Purchase purchase = buy("alice", "k" + i, item, 1 + i % 3);
      calls.add(
          shard.loop.start(
              () ->
                  DecidePurchases.run(
                      shard.link,
                      shard.fence(),
                      shard.keys,
                      TestShard.batch(List.of(purchase)),
                      TIMEOUT_MS)));
    }
    shard.loop.await(() -> Future.all(calls));

    int taken = shard.wins().stream().mapToInt(win -> win.lines().get(0).quantity()).sum();
    assertThat(taken).isEqualTo(3);
    assertThat(shard.stock(item)).isEqualTo("97");
    assertThat(shard.receipt(item, "alice")).startsWith("3;");

    EntryId first = shard.wins().get(0).id();
    int quantity = shard.wins().get(0).lines().get(0).quantity();
    shard.release("alice", first, item);
    assertThat(shard.decideOne(buy("alice", "again-1", item, quantity)).status())
        .isEqualTo(PurchaseStatus.WIN);
    assertThat(shard.decideOne(buy("alice", "again-2", item, 1)).status())
        .isEqualTo(PurchaseStatus.LIMIT);
  }

  @Test
  void purchaseShouldBeDryWhenTheShardHasTooFewUnitsAndSmallerOnesShouldStillWin() {
    ItemId item = shard.sell(5, 3);
    List<Decision> decisions =
        shard.decide(
            buy("a", null, item, 2),
            buy("b", null, item, 2),
            buy("c", null, item, 1),
            buy("d", null, item, 1));
    assertThat(statuses(decisions))
        .containsExactly(
            PurchaseStatus.WIN, PurchaseStatus.DRY, PurchaseStatus.WIN, PurchaseStatus.DRY);
    assertThat(decisions).extracting(Decision::number).containsExactly(1L, 1L, 0L, 0L);
    assertThat(shard.stock(item)).isEqualTo("0");
  }

  // Baskets

  @Test
  void basketShouldTakeAllItsLinesInOneEntry() {
    ItemId one = shard.sell(2, 10);
    ItemId two = shard.sell(2, 10);
    Purchase basket = basket("alice", "k1", Map.of(one, 1, two, 2));
    EntryId win = shard.win(basket);

    assertThat(shard.stock(one)).isEqualTo("9");
    assertThat(shard.stock(two)).isEqualTo("8");
    assertThat(shard.wins().get(0).lines())
        .extracting(LogEntry.WinLine::item, LogEntry.WinLine::quantity)
        .containsExactly(tuple(one, 1), tuple(two, 2));
    assertThat(shard.wins().get(0).bodyDigest()).isEqualTo(basket.bodyDigest()).isNotEmpty();
    assertThat(shard.decideOne(basket)).isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(shard.decideOne(basket("alice", "k1", Map.of(one, 1, two, 1))).status())
        .isEqualTo(PurchaseStatus.CONFLICT);
    assertThat(shard.decideOne(buy("alice", "k1", one, 1)).status())
        .isEqualTo(PurchaseStatus.CONFLICT);
  }

  @Test
  void basketShouldBeInvalidWhenItsLinesHaveSeveralCurrencies() {
    ItemDefinition yuan = shard.define(2);
    ItemDefinition dollar = shard.define(2);
    ItemId one = shard.sell(yuan, 5);
    ItemId two =
        shard.sell(
            new ItemDefinition(
                dollar.id(),
                dollar.name(),
                dollar.priceMinor(),
                "USD",
                dollar.picture(),
                dollar.limitPerUser(),
                dollar.startsAtMs(),
                dollar.endsAtMs(),
                dollar.payWithinMs()),
            5);

    assertThat(shard.decideOne(basket("alice", "k1", Map.of(one, 1, two, 1))).status())
        .isEqualTo(PurchaseStatus.INVALID);
    assertThat(shard.stock(one)).isEqualTo("5");
    assertThat(shard.stock(two)).isEqualTo("5");
  }

  @Test
  void basketShouldTakeNothingWhenOneLineCannotBeHad() {
    ItemId plenty = shard.sell(2, 10);
    ItemId dry = shard.sell(2, 1);
    ItemDefinition pausedDefinition = shard.define(2);
    ItemId paused = shard.sell(pausedDefinition, 10);
    shard.put(pausedDefinition, 3, ItemState.PAUSED);
    String before = shard.everything(plenty, dry, paused);

    assertThat(
            statuses(
                shard.decide(
                    basket("a", null, Map.of(plenty, 1, dry, 2)),
                    basket("b", null, Map.of(plenty, 1, paused, 1)),
                    basket("c", null, Map.of(plenty, 3, dry, 1)),
                    basket("d", null, Map.of(plenty, 1, TestShard.newItemId(), 1)))))
        .containsExactly(
            PurchaseStatus.DRY,
            PurchaseStatus.PAUSED,
            PurchaseStatus.LIMIT,
            PurchaseStatus.NOT_READY);
    assertThat(shard.everything(plenty, dry, paused)).isEqualTo(before);
  }

  // States and times

  @Test
  void ST_08_purchaseShouldBeNotReadyWhenTheItemIsUnknownOrPrepared() {
    ItemDefinition prepared = shard.define(1);
    shard.put(prepared, 1, ItemState.PREPARED);
    ItemId unknown = TestShard.newItemId();

    assertThat(statuses(shard.decide(buy("a", null, unknown, 1), buy("a", null, prepared.id(), 1))))
        .containsOnly(PurchaseStatus.NOT_READY);
    shard.move(prepared.id(), 1, 5);
    assertThat(shard.decideOne(buy("a", null, prepared.id(), 1)).status())
        .isEqualTo(PurchaseStatus.NOT_READY);
    assertThat(shard.redis("HGET", shard.keys.head(), "state").toString()).isEqualTo("OPEN");
  }

  @Test
  void purchaseShouldBeRefusedWhenTheItemIsPausedOrEnded() {
    ItemDefinition definition = shard.define(1);
    ItemId item = shard.sell(definition, 1);
    shard.put(definition, 3, ItemState.PAUSED);
    assertThat(shard.decideOne(buy("a", null, item, 1)).status()).isEqualTo(PurchaseStatus.PAUSED);
    shard.put(definition, 4, ItemState.OPEN);
    assertThat(shard.decideOne(buy("a", null, item, 1)).status()).isEqualTo(PurchaseStatus.WIN);
    shard.put(definition, 5, ItemState.ENDED);
    assertThat(shard.decideOne(buy("b", null, item, 1)).status()).isEqualTo(PurchaseStatus.ENDED);
  }

  @Test
  void ST_12_saleShouldOpenAndEndByTheClockOfRedis() {
    // On a machine that stands still meanwhile a short sale is over before anybody has looked.
    List<PurchaseStatus> seen = List.of();
    for (long spanMs = 150; seen.size() < 3 && spanMs < 15_000; spanMs *= 9) {
      seen = seenInASaleOf(spanMs);
    }
    assertThat(seen)
        .containsExactly(PurchaseStatus.NOT_STARTED, PurchaseStatus.WIN, PurchaseStatus.ENDED);
  }

  /** What buyers were told, from before the opening until the end. */
  private List<PurchaseStatus> seenInASaleOf(long spanMs) {
    long startsAtMs = shard.loop.get(shard.link::serverTimeMs) + spanMs;
    long endsAtMs = startsAtMs + spanMs;
    ItemId item =
        shard.sell(TestShard.define(TestShard.newItemId(), 1, startsAtMs, endsAtMs), 1_000_000);
    int earlier = shard.wins().size();
    List<PurchaseStatus> seen = new ArrayList<>();
    int buyer = 0;
    Decision last;
    do {
      last = shard.decideOne(buy("buyer-" + buyer++, null, item, 1));
      if (last.status() == PurchaseStatus.NOT_STARTED) {
        // The link's idea of Redis' clock, from which the start was taken, may be ahead.
        assertThat(last.number()).isBetween(1L, spanMs + CLOCK_ERROR_MS);
      }
      if (seen.isEmpty() || seen.get(seen.size() - 1) != last.status()) {
        seen.add(last.status());
      }
    } while (last.status() != PurchaseStatus.ENDED);

    assertThat(List.of(PurchaseStatus.NOT_STARTED, PurchaseStatus.WIN, PurchaseStatus.ENDED))
        .containsSubsequence(seen);
    List<LogEntry.Win> wins = shard.wins();
    assertThat(wins.subList(earlier, wins.size()))
        .allSatisfy(win -> assertThat(win.atMs()).isBetween(startsAtMs, endsAtMs - 1));
    return seen;
  }

  @Test
  void ST_08_lostStockShouldFreezeTheShardAndNeverLookSoldOut() {
    ItemId item = shard.sell(1, 10);
    ItemId other = shard.sell(1, 10);
    EntryId win = shard.win(buy("alice", "k1", item, 1));
    shard.redis("DEL", shard.keys.stock(item));

    assertThat(
            statuses(
                shard.decide(
                    buy("alice", "k1", item, 1),
                    buy("bob", "k1", item, 1),
                    buy("carol", "k1", other, 1))))
        .containsExactly(PurchaseStatus.REPLAY, PurchaseStatus.LOST, PurchaseStatus.WIN);
    assertThat(shard.call(shard.fence(), NO_LIMITS, buy("dan", "k1", other, 1)))
        .isEqualTo(new Refused(FenceStatus.FROZEN));
    assertThat(win.seq()).isPositive();
    assertThat(shard.stock(other)).isEqualTo("9");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stock", "item", "receipts", "receipt", "number"})
  void ST_08_spoiltKeysShouldBeALossAndTakeNothing(String what) {
    ItemId item = shard.sell(1, 10);
    shard.win(buy("bob", null, item, 1));
    switch (what) {
      case "stock" -> {
        shard.redis("DEL", shard.keys.stock(item));
        shard.redis("LPUSH", shard.keys.stock(item), "x");
      }
      case "item" -> shard.redis("DEL", shard.keys.item(item));
      case "receipts" -> {
        shard.redis("DEL", shard.keys.receipts(item));
        shard.redis("SET", shard.keys.receipts(item), "x");
      }
      case "receipt" -> shard.redis("HSET", shard.keys.receipts(item), "alice", "spoilt");
      default -> shard.redis("SET", shard.keys.stock(item), "1.5");
    }
    long seq = shard.seq();
    assertThat(shard.decideOne(buy("alice", null, item, 1)).status())
        .isEqualTo(PurchaseStatus.LOST);
    assertThat(shard.seq()).isEqualTo(seq);
    assertThat(shard.text("HGET", shard.keys.head(), "state")).isEqualTo("FROZEN");
  }

  // The user's window

  @Test
  void RL_03_exactlyTheWinsOfTheWindowShouldPassAndHammeringShouldNotExtendIt() {
    ItemId item = shard.sell(100, 1_000);
    Limits window = new Limits(1_000_000, 3, 400);
    long stalledBefore = Stalls.nanos();
    Purchase[] burst =
        IntStream.range(0, 50)
            .mapToObj(i -> buy("alice", "k" + i, item, 1))
            .toArray(Purchase[]::new);
    List<Decision> decisions = shard.decide(window, burst);
    assertThat(Collections.frequency(statuses(decisions), PurchaseStatus.WIN)).isEqualTo(3);
    assertThat(Collections.frequency(statuses(decisions), PurchaseStatus.WINDOW)).isEqualTo(47);
    assertThat(decisions.get(49).number()).isBetween(1L, 400L);
    assertThat(shard.decide(window, buy("bob", "k", item, 1)).get(0).status())
        .isEqualTo(PurchaseStatus.WIN);

    long firstAtMs = shard.wins().get(0).atMs();
    Decision next;
    int hammering = 0;
    do {
      next = shard.decide(window, buy("alice", "again-" + hammering++, item, 1)).get(0);
    } while (next.status() == PurchaseStatus.WINDOW);
    assertThat(next.status()).isEqualTo(PurchaseStatus.WIN);
    List<LogEntry.Win> wins = shard.wins();
    long sinceMs = wins.get(wins.size() - 1).atMs() - firstAtMs;
    assertThat(sinceMs).isGreaterThanOrEqualTo(400);
    assertThat(hammering > 1 || Stalls.nanos() > stalledBefore)
        .as("hammered %d times", hammering)
        .isTrue();
  }

  @Test
  void RL_02_windowShouldAlwaysHaveATimeToLive() throws InterruptedException {
    ItemId item = shard.sell(100, 1_000);
    ItemId dry = shard.sell(1, 0);
    Limits window = new Limits(1_000_000, 2, 500);
    List<String> keys = shard.keys.windows();
    shard.decide(window, buy("carol", "k1", dry, 1), buy("carol", "k2", TestShard.newItemId(), 1));
    assertThat(shard.redis("EXISTS", keys.get(0), keys.get(1)).toLong())
        .as("who wins nothing writes nothing")
        .isZero();
    long stalledBefore = Stalls.nanos();
    ItemId other = shard.sell(100, 1_000);
    shard.decide(window, buy("alice", "k1", item, 1), buy("bob", "k1", item, 1));
    assertThat(shard.redis("EXISTS", keys.get(0), keys.get(1)).toLong())
        .as("wins of one item stand in its receipts")
        .isZero();
    shard.decide(window, buy("alice", "k2", item, 1), buy("bob", "k2", other, 1));
    for (String key : keys) {
      long leftMs = shard.redis("PTTL", key).toLong();
      assertThat(leftMs)
          .as("-1 is a key without an end")
          .isNotEqualTo(-1)
          .isLessThanOrEqualTo(2_000);
    }
    long there = shard.redis("EXISTS", keys.get(0), keys.get(1)).toLong();
    assertThat(there == 1 || Stalls.nanos() > stalledBefore).as("%d windows", there).isTrue();
    Await.until(
        TestLoop.BOUND,
        "the windows are gone",
        () -> shard.redis("EXISTS", keys.get(0), keys.get(1)).toLong() == 0);
  }

  @Test
  void RL_02_windowsShouldKeepNobodyWhoseWinsNoLongerCount() throws InterruptedException {
    ItemId lead = shard.sell(100, 1_000);
    ItemId item = shard.sell(100, 1_000);
    long spanMs = 50;
    Limits window = new Limits(1_000_000, 100, spanMs);
    for (int round = 0; round < 6; round++) {
      String user = "buyer-" + round;
      shard.decide(window, buy("first-" + round, null, lead, 1), buy(user, null, item, 1));
      long at = shard.loop.get(shard.link::serverTimeMs);
      Await.until(
          TestLoop.BOUND, "a period is over", () -> shard.link.serverTimeMs() > at + spanMs);
    }
    for (String key : shard.keys.windows()) {
      // The number of the period, and who won in it: one at most, for each wins in another.
      assertThat(shard.redis("HLEN", key).toLong()).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void windowThatIsSpoiltShouldCountAsEmpty() {
    ItemId lead = shard.sell(100, 1_000);
    ItemId item = shard.sell(100, 1_000);
    Limits window = new Limits(1_000_000, 1, 60_000);
    shard.decide(window, buy("bob", "k1", lead, 1));
    shard.keys.windows().forEach(key -> shard.redis("SET", key, "x"));
    assertThat(statuses(shard.decide(window, buy("alice", "k1", item, 1))))
        .containsExactly(PurchaseStatus.WIN);
    assertThat(statuses(shard.decide(window, buy("alice", "k2", item, 1))))
        .containsExactly(PurchaseStatus.WINDOW);
  }

  /** Wins and waits of three items against the log: what counts is found wherever it stands. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void windowShouldCountTheWinsOfAllItemsExactly(long seed) throws InterruptedException {
    Random random = new Random(seed);
    int most = 1 + random.nextInt(3);
    long spanMs = 40;
    Limits window = new Limits(1_000_000, most, spanMs);
    List<ItemId> items =
        List.of(shard.sell(100, 10_000), shard.sell(100, 10_000), shard.sell(100, 10_000));
    Map<String, List<Long>> wonAtMs = new HashMap<>();
    ItemId hint = null;
    int key = 0;
    for (int round = 0; round < 300; round++) {
      if (random.nextInt(10) == 0) {
        Thread.sleep(random.nextInt((int) spanMs * 3 / 2));
      }
      // Now one item is busy, now another, now all of them.
      int busy = random.nextInt(4);
      List<Purchase> batch = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(4); i++) {
        ItemId item = items.get(busy == 3 ? random.nextInt(3) : busy);
        batch.add(buy("user-" + random.nextInt(3), "key-" + key++, item, 1));
      }
      long beforeMs = redisTimeMs();
      long seq = shard.seq();
      Batch call = new Batch(window, 0, ItemGroups.NONE, id -> false, hint, batch);
      Decided decided = (Decided) shard.call(shard.fence(), call);
      long afterMs = redisTimeMs();
      hint = random.nextInt(5) == 0 ? items.get(random.nextInt(3)) : decided.lead();
      List<LogEntry.Win> wins = shard.winsAfter(seq);
      int win = 0;
      for (int i = 0; i < batch.size(); i++) {
        List<Long> his =
            wonAtMs.computeIfAbsent(batch.get(i).user().value(), user -> new ArrayList<>());
        Decision decision = decided.decisions().get(i);
        if (decision.status() == PurchaseStatus.WIN) {
          long atMs = wins.get(win++).atMs();
          assertThat(his.stream().filter(at -> at > atMs - spanMs).count()).isLessThan(most);
          his.add(atMs);
        } else {
          assertThat(decision.status()).isEqualTo(PurchaseStatus.WINDOW);
          long nowMs = his.get(his.size() - most) + spanMs - decision.number();
          assertThat(nowMs).isBetween(beforeMs, afterMs);
        }
      }
    }
  }

  private long redisTimeMs() {
    Response time = shard.redis("TIME");
    return time.get(0).toLong() * 1_000 + time.get(1).toLong() / 1_000;
  }

  // What stops the writing

  @Test
  void purchaseShouldBeLogFullWhenTheLogIsAtItsBound() {
    ItemId item = shard.sell(1, 10);
    Limits limits = new Limits(5, 0, 1);
    Purchase first = buy("a", "k", item, 1);
    assertThat(
            statuses(
                shard.decide(limits, first, buy("b", "k", item, 1), buy("c", "k", item, 1), first)))
        .containsExactly(
            PurchaseStatus.WIN, PurchaseStatus.WIN, PurchaseStatus.LOG_FULL, PurchaseStatus.REPLAY);
    assertThat(shard.stock(item)).isEqualTo("8");
    assertThat(shard.wins()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ST_11_purchaseShouldTakeNothingWhenItsEntryCannotBeWritten(boolean wrongType) {
    ItemId item = shard.sell(1, 10);
    Purchase early = buy("early", "k", item, 1);
    EntryId win = shard.win(early);
    if (wrongType) {
      shard.redis("DEL", shard.keys.log());
      shard.redis("SET", shard.keys.log(), "x");
    } else {
      shard.redis("XADD", shard.keys.log(), "18446744073709551615-18446744073709551615", "k", "x");
    }
    Purchase[] buyers =
        IntStream.range(0, 50).mapToObj(i -> buy("u" + i, "k", item, 1)).toArray(Purchase[]::new);

    assertThat(statuses(shard.decide(buyers))).containsOnly(PurchaseStatus.NOT_WRITTEN);
    assertThat(statuses(shard.decide(buyers[0], early, buy("u0", "other", item, 1))))
        .as("a win that was not written limits nobody")
        .containsExactly(
            PurchaseStatus.NOT_WRITTEN, PurchaseStatus.REPLAY, PurchaseStatus.NOT_WRITTEN);
    assertThat(shard.decideOne(early)).isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(shard.stock(item)).isEqualTo("9");
    assertThat(shard.redis("HLEN", shard.keys.receipts(item)).toLong()).isEqualTo(1);
    assertThat(shard.seq()).isEqualTo(win.seq());

    shard.redis("DEL", shard.keys.log());
    assertThat(statuses(shard.decide(buyers)).subList(0, 9)).containsOnly(PurchaseStatus.WIN);
    assertThat(shard.stock(item)).isEqualTo("0");
    assertThat(shard.seq()).isEqualTo(win.seq() + 9);
  }

  @Test
  void ST_11_batchShouldNotStepOverAnEntryThatWasMadeByHand() {
    ItemId item = shard.sell(1, 10);
    long next = shard.seq() + 1;
    shard.redis("XADD", shard.keys.log(), shard.epoch() + "-" + (next + 1), "k", "x");
    Purchase[] buyers =
        IntStream.range(0, 3).mapToObj(i -> buy("u" + i, "k", item, 1)).toArray(Purchase[]::new);
    assertThat(statuses(shard.decide(buyers))).containsOnly(PurchaseStatus.NOT_WRITTEN);
    assertThat(shard.stock(item)).isEqualTo("10");
  }

  @Test
  void winsOfABatchShouldBeOneEntryWithTheNumberOfTheLast() {
    ItemId item = shard.sell(1, 10);
    long before = shard.seq();
    shard.decide(
        buy("a", "k", item, 1),
        buy("b", "k", item, 1),
        buy("a", "k", item, 1),
        buy("c", "k", item, 1));
    assertThat(shard.seq()).isEqualTo(before + 3);
    Response entries =
        shard.redis("XRANGE", shard.keys.log(), shard.epoch() + "-" + (before + 1), "+");
    assertThat(entries).hasSize(1);
    assertThat(entries.get(0).get(0)).hasToString(shard.epoch() + "-" + (before + 3));
    assertThat(shard.winsAfter(before))
        .extracting(win -> win.user().value())
        .containsExactly("a", "b", "c");
  }

  @Test
  void fencedFrozenAndExpiredCallsShouldWriteNothing() {
    ItemId item = shard.sell(1, 10);
    Purchase purchase = buy("alice", "k", item, 1);
    String before = shard.everything(item);
    Fence right = shard.fence();
    long now = shard.loop.get(shard.link::serverTimeMs);

    assertThat(
            shard.call(
                new Fence(right.epoch() + 1, right.runId(), right.notAfterMs()),
                NO_LIMITS,
                purchase))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(
            shard.call(
                new Fence(right.epoch(), "another", right.notAfterMs()), NO_LIMITS, purchase))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(
            shard.call(new Fence(right.epoch(), right.runId(), now - 1_000), NO_LIMITS, purchase))
        .isEqualTo(new Refused(FenceStatus.EXPIRED));
    assertThat(shard.everything(item)).isEqualTo(before);

    shard.redis("HSET", shard.keys.head(), "state", "REPAIRING");
    assertThat(shard.call(shard.fence(), NO_LIMITS, purchase))
        .isEqualTo(new Refused(FenceStatus.FROZEN));
    shard.redis("DEL", shard.keys.head());
    assertThat(shard.call(shard.fence(), NO_LIMITS, purchase))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(shard.stock(item)).isEqualTo("10");
  }

  private DecidePurchases.Result callHavingSeen(long seenSeq, Purchase purchase) {
    Batch batch = new Batch(NO_LIMITS, seenSeq, ItemGroups.NONE, List.of(purchase));
    return shard.run(
        () -> DecidePurchases.run(shard.link, shard.fence(), shard.keys, batch, TIMEOUT_MS));
  }

  @Test
  void RF_02_shardShouldBeFrozenWhenItKnowsLessThanTheCallerHasSeen() {
    ItemId item = shard.sell(1, 10);
    assertThat(callHavingSeen(3, buy("alice", null, item, 1)))
        .isEqualTo(
            new Decided(
                4,
                null,
                Map.of(item, 1L),
                List.of(new Decision(PurchaseStatus.WIN, new EntryId(shard.epoch(), 4), 9))));
    assertThat(callHavingSeen(4, buy("alice", null, item, 1))).isInstanceOf(Decided.class);
    String before = shard.redis("XRANGE", shard.keys.log(), "-", "+") + shard.stock(item);

    assertThat(callHavingSeen(5, buy("bob", null, item, 1)))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(shard.redis("XRANGE", shard.keys.log(), "-", "+") + shard.stock(item))
        .isEqualTo(before);
    assertThat(shard.text("HGET", shard.keys.head(), "state")).isEqualTo("FROZEN");
  }

  // What no gateway lets through

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1:0", "1:-1", "1:-5", "1:1.5", "1:", "1:x", "1:inf", "1:nan", "1:true", "2:1", "0:1", "",
        "1", "1:1,1:1", "1:1,", ",1:1", "1:1 ", "x"
      })
  void IN_08_linesThatNoGatewayLetsThroughShouldBeInvalid(String lines) {
    ItemId item = shard.sell(100, 10);
    String before = shard.everything(item);
    assertThat(rawDecision(item, lines)).isEqualTo("INVALID");
    assertThat(shard.everything(item)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1:101", "1:2147483647", "1:2147483648", "1:99999999999999999999999"})
  void IN_08_quantitiesAboveTheLimitShouldTakeNothing(String lines) {
    ItemId item = shard.sell(100, 10);
    String before = shard.everything(item);
    assertThat(rawDecision(item, lines)).isEqualTo("LIMIT");
    assertThat(shard.everything(item)).isEqualTo(before);
  }

  private String rawDecision(ItemId item, String lines) {
    RedisKeys keys = shard.keys;
    Response reply =
        shard.run(
            () ->
                Script.load("decide_purchases")
                    .run(
                        shard.link,
                        shard.fence(),
                        List.of(
                            keys.head(),
                            keys.log(),
                            keys.item(item),
                            keys.stock(item),
                            keys.receipts(item)),
                        List.of(
                            "0",
                            "1000",
                            "0",
                            "1",
                            "",
                            "1",
                            item.toString(),
                            "",
                            "",
                            "alice",
                            "k",
                            lines),
                        TIMEOUT_MS));
    return reply.get(4).toString();
  }

  @Test
  void batchShouldHaveABound() {
    ItemId item = shard.sell(1, 2_000);
    Purchase[] most =
        IntStream.range(0, DecidePurchases.MAX_BATCH)
            .mapToObj(i -> buy("u" + i, null, item, 1))
            .toArray(Purchase[]::new);
    assertThat(statuses(shard.decide(new Limits(1_000_000, 1, 1_000), most)))
        .containsOnly(PurchaseStatus.WIN);
    Purchase[] tooMany = Arrays.copyOf(most, most.length + 1);
    tooMany[most.length] = buy("one-more", null, item, 1);
    assertThatThrownBy(() -> shard.decide(tooMany)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shard.decide()).isInstanceOf(IllegalArgumentException.class);
  }

  // Exactness and size

  @ParameterizedTest
  @ValueSource(
      longs = {99_999_999_999_999L, 100_000_000_000_000L, 9_007_199_254_740_993L, Long.MAX_VALUE})
  void LU_02_idsShouldStayExact(long number) {
    ItemId item = new ItemId(number);
    ItemId neighbour = new ItemId(number - 1);
    shard.redis("DEL", shard.keys.receipts(item), shard.keys.receipts(neighbour));
    shard.sell(shard.define(item, 2), 10);
    shard.sell(shard.define(neighbour, 2), 10);
    String user = Long.toString(number);
    String otherUser = Long.toString(number - 1);
    EntryId win = shard.win(buy(user, "k", item, 1));
    EntryId other = shard.win(buy(otherUser, "k", item, 1));
    shard.win(basket(user, "k2", Map.of(item, 1, neighbour, 1)));

    assertThat(shard.stock(item)).isEqualTo("7");
    assertThat(shard.stock(neighbour)).isEqualTo("9");
    assertThat(shard.redis("HLEN", shard.keys.receipts(item)).toLong()).isEqualTo(2);
    assertThat(shard.receipt(item, user)).contains("|" + win + "|");
    assertThat(shard.receipt(item, otherUser)).contains("|" + other + "|");
    assertThat(shard.wins().get(0).user()).isEqualTo(new UserId(user));
    assertThat(shard.wins().get(2).lines())
        .extracting(LogEntry.WinLine::item)
        .containsExactly(neighbour, item);
    assertThat(shard.read(item).definition().id()).isEqualTo(item);
    assertThat(shard.release(user, win, item).status()).isEqualTo(StepResult.Status.OK);
    assertThat(shard.text("SMEMBERS", shard.keys.items())).contains(user, otherUser);
  }

  @Test
  void LU_02_seqShouldStayExactBeyondWhatLuaPrints() {
    ItemId item = shard.sell(1, 10);
    String stored = shard.epoch() + "-100000000000001";
    shard.redis("HSET", shard.keys.head(), "seq", "100000000000001", "stored", stored);
    EntryId win = shard.win(buy("alice", "k", item, 1));
    assertThat(win).isEqualTo(new EntryId(shard.epoch(), 100_000_000_000_002L));
    assertThat(shard.seq()).isEqualTo(100_000_000_000_002L);
    assertThat(shard.receipt(item, "alice")).contains("|" + win + "|");
  }

  @Test
  void winShouldCostLittleMemory() {
    int wins = 10_000;
    ItemId item = shard.sell(1, wins);
    for (int from = 0; from < wins; from += DecidePurchases.MAX_BATCH) {
      int first = from;
      shard.decide(
          IntStream.range(0, DecidePurchases.MAX_BATCH)
              .mapToObj(i -> buy("user-" + (first + i), "key-" + (first + i), item, 1))
              .toArray(Purchase[]::new));
    }
    assertThat(shard.wins()).hasSize(wins);
    double receipts = bytes(shard.keys.receipts(item)) / (double) wins;
    double log = bytes(shard.keys.log()) / (double) wins;
    System.out.printf("[%s] bytes a win: receipt %.0f, log entry %.0f%n", server, receipts, log);
    assertThat(receipts + log).isLessThanOrEqualTo(200);
  }

  private long bytes(String key) {
    return shard.redis("MEMORY", "USAGE", key, "SAMPLES", "0").toLong();
  }

  @Test
  void decidedShouldHaveOneDecisionForEachPurchase() {
    ItemId item = shard.sell(1, 1);
    DecidePurchases.Result result =
        shard.call(shard.fence(), NO_LIMITS, buy("a", null, item, 1), buy("b", null, item, 1));
    assertThat(((Decided) result).decisions()).hasSize(2);
  }
}

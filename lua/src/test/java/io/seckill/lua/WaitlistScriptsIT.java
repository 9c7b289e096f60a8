package io.seckill.lua;

import static io.seckill.lua.StepResult.Status.ALREADY;
import static io.seckill.lua.StepResult.Status.LOST;
import static io.seckill.lua.StepResult.Status.NOT_READY;
import static io.seckill.lua.StepResult.Status.OK;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.basket;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemState;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.DecidePurchases.Batch;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who wait for a unit, and how units come to them. */
@ParameterizedClass
@EnumSource(TestServer.class)
class WaitlistScriptsIT {

  /** Waiters that one change of units lets in. */
  private static final int LET_IN_AT_ONCE = 64;

  @Parameter TestServer server;

  private TestShard shard;

  /** Sold out: {@code holder} has the only unit, by {@link #held}. */
  private ItemDefinition definition;

  private ItemId item;
  private EntryId held;

  @BeforeEach
  void open() {
    shard = TestShard.open(server.address());
    definition = shard.define(2);
    item = shard.sell(definition, 1);
    held = shard.win(buy("holder", "k", item, 1));
  }

  @AfterEach
  void close() {
    if (shard != null) {
      shard.close();
    }
  }

  private JoinWaitlist.InLine wait(String user) {
    JoinWaitlist.Result result = shard.join(user, item);
    assertThat(result).as(user).isInstanceOf(JoinWaitlist.InLine.class);
    return (JoinWaitlist.InLine) result;
  }

  private void wait(int from, int to) {
    IntStream.range(from, to).forEach(i -> wait("w" + i));
  }

  private JoinWaitlist.NotInLine refused(String user, ItemId wanted) {
    JoinWaitlist.Result result = shard.join(user, wanted);
    assertThat(result).as(user).isInstanceOf(JoinWaitlist.NotInLine.class);
    return (JoinWaitlist.NotInLine) result;
  }

  private JoinWaitlist.Reason reason(String user, ItemId wanted) {
    return refused(user, wanted).reason();
  }

  private StepResult release() {
    return shard.release("holder", held, item);
  }

  private LogEntry last() {
    List<LogEntry> log = shard.log();
    return log.get(log.size() - 1);
  }

  private void isIdle(ItemId wanted) {
    assertThat(shard.promote(wanted, 10))
        .isEqualTo(new PromoteWaiters.NotPromoted(PromoteWaiters.Reason.IDLE));
  }

  // join_waitlist

  @Test
  void joinShouldPutEverybodyBehindThoseWhoCameBefore() {
    long seq = shard.seq();
    List<Long> scores = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // Names in falling order: it is not the name that counts.
      JoinWaitlist.InLine told = wait("w" + (99 - i));
      assertThat(told.joined()).isTrue();
      assertThat(told.waiters()).isEqualTo(i + 1);
      scores.add(told.score());
    }
    assertThat(scores).isSorted().doesNotHaveDuplicates();
    assertThat(shard.line(item)).startsWith("w99", "w98").endsWith("w81", "w80");
    LogEntry entry = last();
    assertThat(entry)
        .isEqualTo(
            new LogEntry.Joined(
                new EntryId(shard.epoch(), seq + 20), entry.atMs(), item, new UserId("w80")));
    assertThat(scores.get(19)).isGreaterThanOrEqualTo(entry.atMs() * 4096);
    ReadItems.ShardItem read = shard.read(item);
    assertThat(read.waiters()).isEqualTo(20);
    assertThat(read.oldest()).hasValue(scores.get(0));
  }

  @Test
  void joinShouldChangeNothingWhenTheUserIsInLine() {
    JoinWaitlist.InLine first = wait("ann");
    wait("bob");
    String before = shard.everything(item);
    assertThat(shard.join("ann", item)).isEqualTo(new JoinWaitlist.InLine(first.score(), 2, false));
    assertThat(shard.join("ann", item, 1))
        .isEqualTo(new JoinWaitlist.InLine(first.score(), 2, false));
    assertThat(shard.everything(item)).isEqualTo(before);
    shard.put(definition, 3, ItemState.PAUSED);
    assertThat(shard.join("ann", item)).isEqualTo(new JoinWaitlist.InLine(first.score(), 2, false));
    assertThat(shard.line(item)).containsExactly("ann", "bob");

    shard.put(definition, 4, ItemState.ENDED);
    assertThat(reason("ann", item)).isEqualTo(JoinWaitlist.Reason.ENDED);
  }

  @Test
  void joinShouldStayBehindTheLastWhenTheClockWentBack() {
    wait("ann");
    long future =
        Long.parseLong(shard.text("ZSCORE", shard.keys.waitlist(item), "ann")) + 4_096_000;
    shard.redis("ZADD", shard.keys.waitlist(item), Long.toString(future), "ann");
    assertThat(wait("bob").score()).isEqualTo(future + 1);
    assertThat(wait("cleo").score()).isEqualTo(future + 2);
  }

  @Test
  void joinShouldBeRefusedToWhomCannotBuyOrCanBuyAtOnce() {
    long now = shard.loop.get(shard.link::serverTimeMs);
    ItemDefinition later =
        TestShard.define(TestShard.newItemId(), 1, now + 3_600_000, now + 7_200_000);
    shard.sell(later, 0);
    ItemDefinition prepared = shard.define(1);
    shard.put(prepared, 1, ItemState.PREPARED);
    ItemId plenty = shard.sell(1, 5);
    String before = shard.everything(item, later.id(), prepared.id(), plenty);

    assertThat(reason("ann", TestShard.newItemId())).isEqualTo(JoinWaitlist.Reason.NOT_READY);
    assertThat(reason("ann", prepared.id())).isEqualTo(JoinWaitlist.Reason.NOT_READY);
    assertThat(reason("ann", later.id())).isEqualTo(JoinWaitlist.Reason.NOT_STARTED);
    assertThat(refused("ann", plenty))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.STOCK));
    assertThat(shard.join("ann", item, 0))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.FULL));
    JoinWaitlist.Args otherGroup =
        new JoinWaitlist.Args(new UserId("ann"), item, "another", 10, 1_000);
    assertThat(
            shard.run(
                () ->
                    JoinWaitlist.run(
                        shard.link, shard.fence(), shard.keys, otherGroup, TIMEOUT_MS)))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.GROUP));
    JoinWaitlist.Args fullLog = new JoinWaitlist.Args(new UserId("ann"), item, "", 10, shard.seq());
    assertThat(
            shard.run(
                () -> JoinWaitlist.run(shard.link, shard.fence(), shard.keys, fullLog, TIMEOUT_MS)))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.LOG_FULL));
    assertThat(shard.everything(item, later.id(), prepared.id(), plenty)).isEqualTo(before);

    shard.put(definition, 3, ItemState.PAUSED);
    assertThat(reason("ann", item)).isEqualTo(JoinWaitlist.Reason.PAUSED);
    shard.put(definition, 4, ItemState.OPEN);
    shard.switchSales(true, 1);
    assertThat(reason("ann", item)).isEqualTo(JoinWaitlist.Reason.PAUSED);
    shard.switchSales(false, 2);
    wait("ann");
    assertThat(shard.join("bob", item, 1))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.FULL));
  }

  @Test
  void ST_06_joinShouldBeRefusedToWhoHoldsWhatHeMayHold() {
    ItemDefinition red = shard.define(2, 1);
    ItemDefinition blue = shard.define(2, red.group());
    shard.sell(red, 2);
    shard.sell(blue, 0);
    shard.win(buy("ann", null, red.id(), 2));

    assertThat(refused("ann", red.id()))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.LIMIT));
    assertThat(refused("ann", blue.id()))
        .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.LIMIT));
    assertThat(shard.join("bob", blue.id())).isInstanceOf(JoinWaitlist.InLine.class);
    // One of two: he may have one more.
    wait("holder");
  }

  @Test
  void joinShouldBePossibleWithUnitsLeftWhileSomebodyWaits() {
    wait("ann");
    shard.put(definition, 3, ItemState.PAUSED);
    shard.move(item, 2, 5);
    shard.put(definition, 4, ItemState.OPEN);
    wait("bob");
    assertThat(shard.promote(item, 10)).isEqualTo(new PromoteWaiters.Promoted(2, 0, 3, 0));
    assertThat(reason("cleo", item)).isEqualTo(JoinWaitlist.Reason.STOCK);
  }

  // leave_waitlist

  @Test
  void leaveShouldTakeTheUserOutOnce() {
    wait("ann");
    wait("bob");
    long seq = shard.seq();
    EntryId place = new EntryId(shard.epoch(), seq + 1);
    assertThat(shard.leave("ann", item)).isEqualTo(new StepResult(OK, place.toString()));
    assertThat(shard.leave("ann", item).status()).isEqualTo(ALREADY);
    assertThat(shard.leave("ann", TestShard.newItemId()).status()).isEqualTo(ALREADY);
    LogEntry entry = last();
    assertThat(entry).isEqualTo(new LogEntry.Left(place, entry.atMs(), item, new UserId("ann")));
    assertThat(shard.line(item)).containsExactly("bob");
    assertThat(shard.read(item).waiters()).isEqualTo(1);

    shard.put(definition, 3, ItemState.ENDED);
    assertThat(shard.leave("bob", item).status()).isEqualTo(OK);
    assertThat(shard.read(item).waiters()).isZero();
    assertThat(shard.read(item).oldest()).isEmpty();
    shard.put(definition, 4, ItemState.OPEN);
    assertThat(release().promoted()).isZero();
    assertThat(shard.decideOne(buy("cleo", null, item, 1)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  // Units come in

  @Test
  void releasedUnitShouldGoToTheOldestWaiterAsAWinThatAClickReplays() {
    wait("ann");
    wait("bob");
    long seq = shard.seq();
    long adds = shard.read(item).adds();

    StepResult result = release();

    EntryId released = new EntryId(shard.epoch(), seq + 1);
    EntryId promoted = new EntryId(shard.epoch(), seq + 2);
    assertThat(result).isEqualTo(new StepResult(OK, released.toString(), 1, 0));
    LogEntry entry = last();
    assertThat(entry)
        .isEqualTo(
            new LogEntry.Promotion(
                new LogEntry.Win(
                    promoted,
                    entry.atMs(),
                    new UserId("ann"),
                    "-",
                    "",
                    List.of(new LogEntry.WinLine(item, 1, 1999, "CNY", 2, 2, 900_000)))));
    assertThat(shard.receipt(item, "ann")).isEqualTo("1;-||" + promoted + "|1|h|" + entry.atMs());
    assertThat(shard.stock(item)).isEqualTo("0");
    assertThat(shard.line(item)).containsExactly("bob");
    assertThat(shard.read(item).adds()).isEqualTo(adds + 2);
    assertThat(shard.decideOne(buy("ann", null, item, 1)))
        .isEqualTo(new Decision(PurchaseStatus.REPLAY, promoted, 0));
    assertThat(release().status()).isEqualTo(ALREADY);

    assertThat(shard.release("ann", promoted, item).promoted()).isEqualTo(1);
    assertThat(shard.receipt(item, "bob")).startsWith("1;-||");
  }

  @Test
  void ST_06_waiterAtHisLimitShouldLeaveAndTheNextGetTheUnit() {
    ItemDefinition red = shard.define(2, 1);
    ItemDefinition blue = shard.define(2, red.group());
    String group = red.group().id();
    shard.sell(red, 1);
    shard.sell(blue, 2);
    EntryId win = shard.win(buy("holder", null, red.id(), 1));
    shard.join("ann", red.id());
    shard.join("bob", red.id());
    shard.win(buy("ann", null, blue.id(), 2));
    assertThat(shard.held(group, "ann")).isEqualTo("2");
    long seq = shard.seq();

    StepResult result = shard.release("holder", win, red.id());

    assertThat(result.promoted()).isEqualTo(1);
    assertThat(result.left()).isEqualTo(1);
    List<LogEntry> log = shard.log();
    LogEntry left = log.get((int) seq + 1);
    assertThat(left)
        .isEqualTo(new LogEntry.Left(left.id(), left.atMs(), red.id(), new UserId("ann")));
    assertThat(log.get((int) seq + 2).taken().orElseThrow().user()).isEqualTo(new UserId("bob"));
    assertThat(shard.held(group, "ann")).isEqualTo("2");
    assertThat(shard.held(group, "bob")).isEqualTo("1");
    assertThat(shard.held(group, "holder")).isNull();
    assertThat(shard.line(red.id())).isEmpty();
    assertThat(shard.read(red.id()).waiters()).isZero();
    assertThat(shard.release("bob", log.get((int) seq + 2).id(), red.id()).status()).isEqualTo(OK);
    assertThat(shard.held(group, "bob")).isNull();
  }

  @Test
  void ST_06_limitOverTheGroupShouldHoldWhileOneCallLetsInByItsLines() {
    ItemGroup one = new ItemGroup(shard.define(1, 1).group().id(), 1);
    ItemDefinition red = shard.define(1, one);
    ItemDefinition blue = shard.define(1, one);
    ItemId alone = shard.sell(1, 1);
    shard.sell(red, 1);
    shard.sell(blue, 0);
    EntryId win = shard.win(basket("holder", "k", Map.of(red.id(), 1, alone, 1)));
    for (ItemId wanted : List.of(red.id(), blue.id(), alone)) {
      assertThat(shard.join("ann", wanted)).isInstanceOf(JoinWaitlist.InLine.class);
    }
    assertThat(shard.release("holder", win, red.id(), alone).promoted()).isEqualTo(2);
    assertThat(shard.held(one.id(), "ann")).isEqualTo("1");
    StepResult moved = shard.move(blue.id(), 2, 3);
    assertThat(moved.promoted()).isZero();
    assertThat(moved.left()).isEqualTo(1);
    assertThat(shard.line(blue.id())).isEmpty();
    assertThat(shard.stock(blue.id())).isEqualTo("3");
    assertThat(shard.held(one.id(), "ann")).isEqualTo("1");
  }

  @Test
  void unitsThatMoveInShouldGoToABoundedNumberOfWaitersAndTheRestByPromotion() {
    wait(0, 100);
    StepResult moved = shard.move(item, 2, 90);
    assertThat(moved.promoted()).isEqualTo(LET_IN_AT_ONCE);
    assertThat(shard.stock(item)).isEqualTo(Integer.toString(90 - LET_IN_AT_ONCE));
    assertThat(shard.line(item)).hasSize(36).startsWith("w64");
    assertThat(shard.decideOne(buy("new", null, item, 1)))
        .isEqualTo(new Decision(PurchaseStatus.LINE, null, 0));

    assertThat(shard.promote(item, 20)).isEqualTo(new PromoteWaiters.Promoted(20, 0, 6, 16));
    assertThat(shard.promote(item, 20)).isEqualTo(new PromoteWaiters.Promoted(6, 0, 0, 10));
    isIdle(item);
    assertThat(shard.line(item)).startsWith("w90").hasSize(10);
    assertThat(shard.read(item).adds()).isEqualTo(2 + 90);
    assertThat(
            shard.log().stream()
                .filter(LogEntry.Promotion.class::isInstance)
                .map(entry -> entry.taken().orElseThrow().user().value()))
        .containsExactlyElementsOf(IntStream.range(0, 90).mapToObj(i -> "w" + i).toList());
    assertThat(shard.move(item, 3, 12).promoted()).isEqualTo(10);
    assertThat(shard.decideOne(buy("new", null, item, 2)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void oneCallShouldLetInABoundedNumberByAllItsLines() {
    ItemDefinition second = shard.define(2);
    shard.sell(second, 1);
    release();
    EntryId both = shard.win(basket("both", "k", Map.of(item, 1, second.id(), 1)));
    for (ItemId wanted : List.of(item, second.id())) {
      IntStream.range(0, 50).forEach(i -> shard.join("w" + i, wanted));
    }
    shard.switchSales(true, 1);
    shard.move(item, 2, 100);
    shard.move(second.id(), 2, 100);
    shard.switchSales(false, 2);

    assertThat(shard.release("both", both, item, second.id()).promoted()).isEqualTo(LET_IN_AT_ONCE);

    assertThat(shard.line(item)).isEmpty();
    assertThat(shard.line(second.id())).hasSize(100 - LET_IN_AT_ONCE).startsWith("w14");
  }

  @Test
  void manyWaitersAtTheirLimitShouldNotHideTheOneWhoMayBuy() {
    for (int i = 0; i < 150; i++) {
      wait("w" + i);
    }
    wait("last");
    // A lower limit than the one that they joined under.
    IntStream.range(0, 150)
        .forEach(
            i ->
                shard.redis(
                    "HSET", shard.keys.receipts(item), "w" + i, "2;-||1-1|2|h|1700000000000"));
    StepResult first = release();
    assertThat(first.promoted()).isZero();
    assertThat(first.left()).isEqualTo(LET_IN_AT_ONCE);
    assertThat(shard.stock(item)).isEqualTo("1");
    assertThat(shard.read(item).waiters()).isEqualTo(151 - LET_IN_AT_ONCE);
    assertThat(shard.promote(item, 50)).isEqualTo(new PromoteWaiters.Promoted(0, 50, 1, 37));
    assertThat(shard.promote(item, 50)).isEqualTo(new PromoteWaiters.Promoted(1, 36, 0, 0));
    assertThat(last().taken().orElseThrow().user()).isEqualTo(new UserId("last"));
  }

  @Test
  void promotionShouldStopAtTheBoundOfTheLog() {
    wait(0, 10);
    shard.put(definition, 3, ItemState.PAUSED);
    shard.move(item, 2, 5);
    shard.put(definition, 4, ItemState.OPEN);
    PromoteWaiters.Args room = new PromoteWaiters.Args(item, "", 10, shard.seq() + 2);
    assertThat(
            shard.run(
                () -> PromoteWaiters.run(shard.link, shard.fence(), shard.keys, room, TIMEOUT_MS)))
        .isEqualTo(new PromoteWaiters.Promoted(2, 0, 3, 8));
    assertThat(
            shard.run(
                () -> PromoteWaiters.run(shard.link, shard.fence(), shard.keys, room, TIMEOUT_MS)))
        .isEqualTo(new PromoteWaiters.NotPromoted(PromoteWaiters.Reason.LOG_FULL));
    PromoteWaiters.Args other = new PromoteWaiters.Args(item, "another", 10, 1_000);
    assertThat(
            shard.run(
                () -> PromoteWaiters.run(shard.link, shard.fence(), shard.keys, other, TIMEOUT_MS)))
        .isEqualTo(new PromoteWaiters.NotPromoted(PromoteWaiters.Reason.GROUP));
    assertThat(shard.promote(item, 10)).isEqualTo(new PromoteWaiters.Promoted(3, 0, 0, 5));
  }

  @ParameterizedTest
  @EnumSource(
      value = ItemState.class,
      names = {"PAUSED", "ENDED"})
  void nobodyShouldBeLetInWhileTheItemIsNotOnSale(ItemState state) {
    wait("ann");
    shard.put(definition, 3, state);
    shard.move(item, 2, 1);
    StepResult result = release();
    assertThat(result.status()).isEqualTo(OK);
    assertThat(result.promoted()).isZero();
    assertThat(shard.stock(item)).isEqualTo(state == ItemState.ENDED ? "1" : "2");
    isIdle(item);
    assertThat(shard.line(item)).containsExactly("ann");
    shard.put(definition, 4, ItemState.OPEN);
    assertThat(shard.promote(item, 5)).isInstanceOf(PromoteWaiters.Promoted.class);
    assertThat(shard.line(item)).isEmpty();
  }

  @Test
  void nobodyShouldBeLetInWhileSalesAreStoppedOrTheWindowIsOver() {
    wait("ann");
    shard.switchSales(true, 1);
    assertThat(release().promoted()).isZero();
    isIdle(item);
    shard.switchSales(false, 2);
    long now = shard.loop.get(shard.link::serverTimeMs);
    shard.put(TestShard.define(item, 2, now - 10_000_000, now - 5_000_000), 3, ItemState.OPEN);
    isIdle(item);
    assertThat(shard.stock(item)).isEqualTo("1");
    shard.put(TestShard.define(item, 2, now + 5_000_000, now + 10_000_000), 4, ItemState.OPEN);
    isIdle(item);
    shard.put(definition, 5, ItemState.OPEN);
    assertThat(shard.promote(item, 1)).isEqualTo(new PromoteWaiters.Promoted(1, 0, 0, 0));
  }

  @Test
  void debtShouldBePaidBeforeAnybodyIsLetIn() {
    wait("ann");
    shard.redis("SET", shard.keys.stock(item), "-2");
    assertThat(release().promoted()).isZero();
    assertThat(shard.move(item, 2, 1).promoted()).isZero();
    assertThat(shard.stock(item)).isEqualTo("0");
    isIdle(item);
    assertThat(shard.move(item, 3, 1).promoted()).isEqualTo(1);
  }

  @Test
  void userWhoGivesAUnitBackShouldGetItAgainWhenHeIsTheOnlyOneWhoWaits() {
    wait("holder");
    assertThat(release().promoted()).isEqualTo(1);
    assertThat(shard.receipt(item, "holder")).matches("1;[^;]*\\|r\\|\\d+;-\\|[^;]*\\|h\\|\\d+");
    assertThat(shard.line(item)).isEmpty();
  }

  @Test
  void clickWithoutAKeyShouldReplayTheWinThatItMeansBesideAPromotion() {
    ItemId three = shard.sell(3, 3);
    EntryId two = shard.win(buy("ann", null, three, 2));
    EntryId other = shard.win(buy("bob", null, three, 1));
    shard.join("ann", three);
    shard.release("bob", other, three);
    EntryId promoted = last().id();

    assertThat(shard.decideOne(buy("ann", null, three, 2)))
        .isEqualTo(new Decision(PurchaseStatus.REPLAY, two, 0));
    assertThat(shard.decideOne(buy("ann", null, three, 1)))
        .isEqualTo(new Decision(PurchaseStatus.REPLAY, promoted, 0));
    assertThat(shard.decideOne(buy("ann", null, three, 3)).status())
        .isEqualTo(PurchaseStatus.CONFLICT);
  }

  // decide_purchases

  @Test
  void newcomerShouldStandBehindThoseWhoWait() {
    Purchase first = buy("holder", "k", item, 1);
    ItemId other = shard.sell(1, 5);
    wait("ann");
    shard.put(definition, 3, ItemState.PAUSED);
    shard.move(item, 2, 5);
    assertThat(shard.decideOne(buy("new", null, item, 1)).status())
        .isEqualTo(PurchaseStatus.PAUSED);
    shard.put(definition, 4, ItemState.OPEN);
    String before = shard.everything(item);

    assertThat(
            shard.decide(
                buy("new", null, item, 1),
                buy("ann", null, item, 1),
                basket("new", "k", Map.of(item, 1, other, 1)),
                buy("new", null, item, 3),
                buy("holder", "k", item, 2),
                first))
        .extracting(Decision::status)
        .containsExactly(
            PurchaseStatus.LINE,
            PurchaseStatus.LINE,
            PurchaseStatus.LINE,
            PurchaseStatus.LIMIT,
            PurchaseStatus.CONFLICT,
            PurchaseStatus.REPLAY);
    assertThat(shard.everything(item)).isEqualTo(before);
    assertThat(shard.decideOne(buy("new", null, other, 1)).status()).isEqualTo(PurchaseStatus.WIN);
  }

  @Test
  void newcomerShouldStandBehindThoseWhoWaitInOtherShards() {
    ItemId elsewhere = shard.sell(1, 5);
    ItemId free = shard.sell(1, 5);
    Batch batch =
        new Batch(
            TestShard.NO_LIMITS,
            0,
            ItemGroups.NONE,
            elsewhere::equals,
            null,
            List.of(
                buy("ann", null, elsewhere, 1),
                buy("ann", null, free, 1),
                buy("bob", null, TestShard.newItemId(), 1)));
    assertThat(((Decided) shard.call(shard.fence(), batch)).decisions())
        .extracting(Decision::status)
        .containsExactly(PurchaseStatus.LINE, PurchaseStatus.WIN, PurchaseStatus.NOT_READY);
    assertThat(shard.stock(elsewhere)).isEqualTo("5");
  }

  // find_waiters

  @Test
  void findShouldTellScoresAndHowManyComeBefore() {
    List<Long> scores = List.of(wait("ann").score(), wait("bob").score(), wait("cleo").score());
    List<Long> asked = new ArrayList<>(scores);
    asked.add(1L);
    asked.add(scores.get(2) + 1);
    assertThat(shard.find(item, List.of("cleo", "nobody", "ann"), asked))
        .isEqualTo(
            new FindWaiters.Found(
                3,
                List.of(
                    OptionalLong.of(scores.get(2)),
                    OptionalLong.empty(),
                    OptionalLong.of(scores.get(0))),
                List.of(0L, 1L, 2L, 0L, 3L)));
    ItemId calm = shard.sell(1, 1);
    assertThat(shard.find(calm, List.of("ann"), List.of(5L)))
        .isEqualTo(new FindWaiters.Found(0, List.of(OptionalLong.empty()), List.of(0L)));
    assertThat(shard.find(TestShard.newItemId(), List.of("ann"), List.of()))
        .isEqualTo(new FindWaiters.NotFound(FindWaiters.Reason.NOT_READY));
    shard.redis("DEL", shard.keys.waitlist(item));
    assertThat(shard.find(item, List.of("ann"), List.of()))
        .isEqualTo(new FindWaiters.NotFound(FindWaiters.Reason.NOT_READY));
    shard.freezeNext();
    assertThat(shard.find(item, List.of("ann"), List.of()))
        .isEqualTo(new FindWaiters.NotFound(FindWaiters.Reason.FROZEN));
  }

  @Test
  void callsShouldHaveABound() {
    List<Long> tooMany = IntStream.rangeClosed(0, 500).mapToObj(Long::valueOf).toList();
    List<String> users = IntStream.rangeClosed(0, 500).mapToObj(i -> "u" + i).toList();
    assertThat(shard.find(item, users.subList(1, 501), tooMany.subList(1, 501)))
        .isInstanceOf(FindWaiters.Found.class);
    assertThatThrownBy(() -> shard.find(item, users, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shard.find(item, List.of(), tooMany))
        .isInstanceOf(IllegalArgumentException.class);
    for (int most : List.of(0, PromoteWaiters.MAX_WAITERS + 1)) {
      assertThatThrownBy(() -> shard.promote(item, most))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (int waiters : List.of(0, RestoreWaiters.MAX_USERS + 1)) {
      RestoreWaiters.Page page = page(false, 1, waiters);
      assertThatThrownBy(() -> restore(page)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void promotionOfAsManyAsACallMayShouldBeOneCall() {
    wait(0, PromoteWaiters.MAX_WAITERS + 5);
    shard.put(definition, 3, ItemState.PAUSED);
    shard.move(item, 2, 1_000);
    shard.put(definition, 4, ItemState.OPEN);
    assertThat(shard.promote(item, PromoteWaiters.MAX_WAITERS))
        .isEqualTo(
            new PromoteWaiters.Promoted(
                PromoteWaiters.MAX_WAITERS, 0, 1_000 - PromoteWaiters.MAX_WAITERS, 5));
  }

  // restore_waiters and the end of items

  private RestoreWaiters.Page page(boolean isFirst, int from, int waiters) {
    return new RestoreWaiters.Page(
        item,
        isFirst,
        IntStream.range(from, from + waiters)
            .mapToObj(
                i -> new RestoreWaiters.Waiter(new UserId("w" + i), 1_700_000_000_000L + i / 3))
            .toList());
  }

  private StepResult.Status restore(RestoreWaiters.Page page) {
    return shard.step(
        () -> RestoreWaiters.run(shard.link, shard.fence(), shard.keys, page, TIMEOUT_MS));
  }

  private void restoreItem(long stock) {
    shard.restore(
        definition,
        new PutItem.ItemVersion(2, ItemState.OPEN),
        new RestoreItem.Counters(1, 1, 0, 0, stock, stock));
  }

  @Test
  void restoredLineShouldBeTheOneThatTheEntriesTell() {
    wait("forgotten");
    wait(0, 5);
    List<LogEntry.Joined> joins =
        shard.log().stream()
            .filter(LogEntry.Joined.class::isInstance)
            .map(LogEntry.Joined.class::cast)
            .filter(join -> !join.user().value().equals("forgotten"))
            .toList();
    String before = shard.text("ZSCORE", shard.keys.waitlist(item), "w4");
    shard.leave("forgotten", item);
    long epoch = shard.freezeNext();
    restoreItem(0);
    assertThat(shard.line(item)).isEmpty();
    for (int round = 0; round < 2; round++) {
      assertThat(
              restore(
                  new RestoreWaiters.Page(
                      item,
                      true,
                      joins.stream()
                          .map(join -> new RestoreWaiters.Waiter(join.user(), join.atMs()))
                          .toList())))
          .isEqualTo(OK);
    }
    assertThat(shard.text("HGET", shard.keys.head(), "damaged")).isEqualTo("1");
    shard.openFrozen(epoch);
    assertThat(shard.line(item)).containsExactly("w0", "w1", "w2", "w3", "w4");
    assertThat(shard.read(item).waiters()).isEqualTo(5);
    long score = Long.parseLong(shard.text("ZSCORE", shard.keys.waitlist(item), "w4"));
    assertThat(score / 4096).isEqualTo(Long.parseLong(before) / 4096);
    wait("behind");
    assertThat(shard.line(item)).endsWith("w4", "behind");
    assertThat(shard.move(item, 2, 1).promoted()).isEqualTo(1);
    assertThat(last().taken().orElseThrow().user()).isEqualTo(new UserId("w0"));
  }

  @Test
  void restoreShouldEndTheSameWhenPagesAreRepeated() {
    shard.freezeNext();
    restoreItem(0);
    assertThat(restore(page(true, 0, 10))).isEqualTo(OK);
    assertThat(restore(page(false, 10, 10))).isEqualTo(OK);
    String once = shard.everything(item).replaceAll("progress, \\d+", "");
    assertThat(restore(page(false, 10, 10))).isEqualTo(OK);
    assertThat(shard.everything(item).replaceAll("progress, \\d+", "")).isEqualTo(once);
    assertThat(restore(page(true, 0, 10))).isEqualTo(OK);
    assertThat(shard.redis("ZCARD", shard.keys.waitlist(item)).toLong()).isEqualTo(10);
    assertThat(restore(page(false, 10, 10))).isEqualTo(OK);
    assertThat(shard.everything(item).replaceAll("progress, \\d+", "")).isEqualTo(once);
    assertThat(shard.line(item))
        .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "w" + i).toList());
    assertThat(restore(page(true, 0, 0))).isEqualTo(OK);
    assertThat(shard.redis("EXISTS", shard.keys.waitlist(item)).toLong()).isZero();
    assertThat(
            restore(
                new RestoreWaiters.Page(
                    TestShard.newItemId(),
                    true,
                    List.of(new RestoreWaiters.Waiter(new UserId("ann"), 1)))))
        .isEqualTo(NOT_READY);
  }

  @Test
  void waitlistShouldGoWithItsItem() {
    wait("ann");
    assertThat(shard.remove(item, 3).status()).isEqualTo(OK);
    assertThat(shard.redis("EXISTS", shard.keys.waitlist(item)).toLong()).isZero();
    assertThat(shard.leave("ann", item).status()).isEqualTo(ALREADY);
    assertThat(reason("ann", item)).isEqualTo(JoinWaitlist.Reason.NOT_READY);

    ItemDefinition other = shard.define(1);
    shard.sell(other, 0);
    shard.join("ann", other.id());
    shard.freezeNext();
    shard.step(() -> ForgetItem.run(shard.link, shard.fence(), shard.keys, other.id(), TIMEOUT_MS));
    assertThat(shard.redis("EXISTS", shard.keys.waitlist(other.id())).toLong()).isZero();
  }

  // Losses

  @ParameterizedTest
  @ValueSource(strings = {"join", "leave", "release", "move", "promote"})
  void ST_08_waitlistThatIsGoneShouldBeALossAndChangeNothing(String call) {
    wait("ann");
    shard.redis("DEL", shard.keys.waitlist(item));
    long seq = shard.seq();
    String stock = shard.stock(item);
    assertThat(shard.read(item).waiters()).isEqualTo(1);
    assertThat(shard.read(item).oldest()).isEmpty();
    switch (call) {
      case "join" -> assertThat(reason("bob", item)).isEqualTo(JoinWaitlist.Reason.LOST);
      case "leave" -> assertThat(shard.leave("ann", item).status()).isEqualTo(LOST);
      case "release" -> assertThat(release().status()).isEqualTo(LOST);
      case "move" -> assertThat(shard.move(item, 2, 1).status()).isEqualTo(LOST);
      default ->
          assertThat(shard.promote(item, 1))
              .isEqualTo(new PromoteWaiters.NotPromoted(PromoteWaiters.Reason.LOST));
    }
    assertThat(shard.text("HGET", shard.keys.head(), "state")).isEqualTo("FROZEN");
    assertThat(shard.seq()).isEqualTo(seq);
    assertThat(shard.stock(item)).isEqualTo(stock);
  }

  @Test
  void ST_08_waitlistOfAnotherTypeShouldBeALoss() {
    wait("ann");
    shard.redis("DEL", shard.keys.waitlist(item));
    shard.redis("SET", shard.keys.waitlist(item), "x");
    assertThat(shard.read(item).oldest()).isEmpty();
    assertThat(release().status()).isEqualTo(LOST);
    shard.reopen();
    shard.redis("DEL", shard.keys.waitlist(item), shard.keys.stock(item));
    assertThat(reason("bob", item)).isEqualTo(JoinWaitlist.Reason.LOST);
  }

  @Test
  void ST_08_spoiltReceiptOfAWaiterShouldKeepTheUnitInStockAndFreezeTheShard() {
    wait("ann");
    wait("bob");
    shard.redis("HSET", shard.keys.receipts(item), "ann", "x");
    StepResult result = release();
    assertThat(result.status()).isEqualTo(OK);
    assertThat(result.promoted()).isZero();
    assertThat(shard.stock(item)).isEqualTo("1");
    assertThat(shard.line(item)).containsExactly("ann", "bob");
    assertThat(shard.text("HGET", shard.keys.head(), "state")).isEqualTo("FROZEN");
    shard.reopen();
    assertThat(shard.promote(item, 5))
        .isEqualTo(new PromoteWaiters.NotPromoted(PromoteWaiters.Reason.LOST));
  }

  @Test
  void ST_08_spoiltHoldingsShouldKeepTheUnitInStockAndFreezeTheShard() {
    ItemDefinition red = shard.define(2, 1);
    shard.sell(red, 1);
    EntryId win = shard.win(buy("holder", null, red.id(), 1));
    shard.join("ann", red.id());
    shard.redis("HSET", shard.keys.held(red.group().id()), "ann", "x");
    assertThat(shard.release("holder", win, red.id()))
        .extracting(StepResult::promoted)
        .isEqualTo(0L);
    assertThat(shard.stock(red.id())).isEqualTo("1");
    assertThat(shard.line(red.id())).containsExactly("ann");
    assertThat(shard.text("HGET", shard.keys.head(), "state")).isEqualTo("FROZEN");
  }

  // Memory

  @Test
  void waiterShouldTakeLittleMemory() {
    int waiters = 20_000;
    shard.freezeNext();
    restoreItem(0);
    for (int from = 0; from < waiters; from += RestoreWaiters.MAX_USERS) {
      assertThat(restore(page(from == 0, from, RestoreWaiters.MAX_USERS))).isEqualTo(OK);
    }
    long bytes = shard.redis("MEMORY", "USAGE", shard.keys.waitlist(item), "SAMPLES", "0").toLong();
    System.out.printf("[waitlist] %d bytes for each of %,d waiters%n", bytes / waiters, waiters);
    assertThat(bytes / waiters).isLessThan(160);
  }
}

package io.seckill.lua;

import static io.seckill.lua.StepResult.Status.ALREADY;
import static io.seckill.lua.StepResult.Status.EXPIRED;
import static io.seckill.lua.StepResult.Status.FENCED;
import static io.seckill.lua.StepResult.Status.FROZEN;
import static io.seckill.lua.StepResult.Status.GAP;
import static io.seckill.lua.StepResult.Status.LOST;
import static io.seckill.lua.StepResult.Status.NOT_FOUND;
import static io.seckill.lua.StepResult.Status.NOT_READY;
import static io.seckill.lua.StepResult.Status.NOT_WRITTEN;
import static io.seckill.lua.StepResult.Status.OK;
import static io.seckill.lua.StepResult.Status.STALE;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.basket;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.seckill.common.bus.SalesRecord;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.DecidePurchases.Decision;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Items come, get units, change, and get units back. */
@ParameterizedClass
@EnumSource(TestServer.class)
class ItemScriptsIT {

  /** How many of the steps that the fence guards change an open shard. */
  private static final int CHANGES = 10;

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

  private String headState() {
    return shard.text("HGET", shard.keys.head(), "state");
  }

  // put_item

  @Test
  void putItemShouldBringAnItemAndEachNewGenerationOnce() {
    ItemDefinition item = shard.define(2);
    assertThat(shard.put(item, 1, ItemState.PREPARED))
        .isEqualTo(new StepResult(OK, new EntryId(shard.epoch(), 1).toString()));
    assertThat(shard.put(item, 1, ItemState.PREPARED).status()).isEqualTo(ALREADY);
    shard.move(item.id(), 1, 5);
    assertThat(shard.put(item, 2, ItemState.OPEN).status()).isEqualTo(OK);
    assertThat(shard.put(item, 2, ItemState.PAUSED).status()).isEqualTo(ALREADY);
    assertThat(shard.put(item, 1, ItemState.PREPARED)).isEqualTo(new StepResult(STALE, "2"));

    assertThat(shard.log())
        .filteredOn(LogEntry.ItemChanged.class::isInstance)
        .extracting(
            entry -> ((LogEntry.ItemChanged) entry).generation(),
            entry -> ((LogEntry.ItemChanged) entry).state())
        .containsExactly(tuple(1L, ItemState.PREPARED), tuple(2L, ItemState.OPEN));
    assertThat(shard.read(item.id()))
        .isEqualTo(
            new ReadItems.ShardItem(
                item,
                new PutItem.ItemVersion(2, ItemState.OPEN),
                1,
                1,
                0,
                0,
                5,
                Optional.of(5L),
                0,
                OptionalLong.empty()));
  }

  @Test
  void putItemShouldKeepTheCountersWhenTheDefinitionChanges() {
    ItemDefinition item = shard.define(2);
    shard.sell(item, 5);
    shard.win(buy("alice", null, item.id(), 2));
    ItemDefinition changed = shard.define(item.id(), 7);
    assertThat(shard.put(changed, 3, ItemState.PAUSED).status()).isEqualTo(OK);
    assertThat(shard.read(item.id()))
        .isEqualTo(
            new ReadItems.ShardItem(
                changed,
                new PutItem.ItemVersion(3, ItemState.PAUSED),
                1,
                1,
                0,
                0,
                5,
                Optional.of(3L),
                0,
                OptionalLong.empty()));
  }

  @Test
  void putItemShouldNotOpenAnItemThatHasNoUnitsYet() {
    ItemDefinition item = shard.define(1);
    assertThat(shard.put(item, 2, ItemState.OPEN).status()).isEqualTo(NOT_READY);
    shard.put(item, 1, ItemState.PREPARED);
    assertThat(shard.put(item, 2, ItemState.OPEN).status()).isEqualTo(NOT_READY);
    assertThat(headState()).isEqualTo("OPEN");
  }

  @Test
  void ST_07_putItemShouldBeALossWhenTracesOfTheItemAreLeft() {
    ItemDefinition item = shard.define(1);
    shard.sell(item, 10);
    shard.redis("DEL", shard.keys.item(item.id()));
    assertThat(shard.put(item, 1, ItemState.PREPARED).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
    assertThat(shard.stock(item.id())).isEqualTo("10");
    assertThat(shard.put(item, 1, ItemState.PREPARED).status()).isEqualTo(FROZEN);
  }

  @Test
  void putItemShouldBeALossWhenTheStockIsGone() {
    ItemDefinition item = shard.define(1);
    shard.sell(item, 10);
    shard.redis("DEL", shard.keys.stock(item.id()));
    assertThat(shard.put(item, 3, ItemState.PAUSED).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
  }

  // apply_move

  @Test
  void ST_07_moveShouldBeAppliedOnceAndInOrder() {
    ItemDefinition item = shard.define(1);
    assertThat(shard.move(item.id(), 1, 5).status()).isEqualTo(NOT_READY);
    shard.put(item, 1, ItemState.PREPARED);
    assertThat(shard.move(item.id(), 2, 5)).isEqualTo(new StepResult(GAP, "0"));
    assertThat(shard.move(item.id(), 1, 5).status()).isEqualTo(OK);
    assertThat(shard.move(item.id(), 1, 5).status()).isEqualTo(ALREADY);
    assertThat(shard.move(item.id(), 3, 7)).isEqualTo(new StepResult(GAP, "1"));
    assertThat(shard.move(item.id(), 2, 7).status()).isEqualTo(OK);
    assertThat(shard.move(item.id(), 1, 5).status()).isEqualTo(ALREADY);

    assertThat(shard.stock(item.id())).isEqualTo("12");
    assertThat(shard.log())
        .filteredOn(LogEntry.UnitsIn.class::isInstance)
        .extracting(
            entry -> ((LogEntry.UnitsIn) entry).move(), entry -> ((LogEntry.UnitsIn) entry).units())
        .containsExactly(tuple(1L, 5L), tuple(2L, 7L));
  }

  @Test
  void ST_07_moveShouldBeAppliedOnceWhenManySendItAtOnce() {
    ItemDefinition item = shard.define(1);
    shard.put(item, 1, ItemState.PREPARED);
    List<Future<StepResult>> calls = new ArrayList<>();
    ApplyMove.Args move = new ApplyMove.Args(new Move(item.id(), 0, 1, Move.Kind.PREHEAT, 100), "");
    for (int i = 0; i < 50; i++) {
      calls.add(
          shard.loop.start(
              () -> ApplyMove.run(shard.link, shard.fence(), shard.keys, move, TIMEOUT_MS)));
    }
    shard.loop.await(() -> Future.all(calls));
    assertThat(calls).filteredOn(call -> call.result().status() == OK).hasSize(1);
    assertThat(shard.stock(item.id())).isEqualTo("100");
  }

  @Test
  void ST_01_moveOfNoUnitsShouldMakeAStockOfZero() {
    ItemId item = shard.sell(1, 0);
    assertThat(shard.stock(item)).isEqualTo("0");
    assertThat(shard.decideOne(buy("alice", null, item, 1)))
        .isEqualTo(new Decision(PurchaseStatus.DRY, null, 0));
  }

  @Test
  void moveShouldBeALossWhenTheStockIsGoneOrSpoilt() {
    ItemId item = shard.sell(1, 5);
    shard.redis("DEL", shard.keys.stock(item));
    assertThat(shard.move(item, 2, 5).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
    shard.reopen();
    shard.redis("LPUSH", shard.keys.stock(item), "x");
    assertThat(shard.move(item, 2, 5).status()).isEqualTo(LOST);
    assertThat(shard.text("HGET", shard.keys.item(item), "move")).isEqualTo("1");
  }

  @Test
  void ST_11_stepsShouldChangeNothingWhenTheirEntryCannotBeWritten() {
    ItemDefinition definition = shard.define(1);
    ItemId item = shard.sell(definition, 5);
    EntryId win = shard.win(buy("alice", null, item, 1));
    shard.redis("DEL", shard.keys.log());
    shard.redis("SET", shard.keys.log(), "x");
    String before = shard.redis("HGETALL", shard.keys.item(item)) + shard.stock(item);

    assertThat(shard.move(item, 2, 5).status()).isEqualTo(NOT_WRITTEN);
    assertThat(shard.put(definition, 3, ItemState.PAUSED).status()).isEqualTo(NOT_WRITTEN);
    assertThat(shard.release("alice", win, item).status()).isEqualTo(NOT_WRITTEN);
    assertThat(shard.redis("HGETALL", shard.keys.item(item)) + shard.stock(item)).isEqualTo(before);
    assertThat(shard.receipt(item, "alice")).startsWith("1;");
    assertThat(shard.seq()).isEqualTo(win.seq());
  }

  // release_win

  @Test
  void OL_04_releaseShouldGiveUnitsAndQuotaBackOnceWhoeverAsks() {
    ItemId item = shard.sell(2, 10);
    EntryId win = shard.win(buy("alice", "k1", item, 2));
    List<Future<StepResult>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(
          shard.loop.start(
              () ->
                  ReleaseWin.run(
                      shard.link,
                      shard.fence(),
                      shard.keys,
                      new ReleaseWin.Args(
                          new UserId("alice"), win, "user", List.of(item), ItemGroups.NONE),
                      TIMEOUT_MS)));
    }
    shard.loop.await(() -> Future.all(calls));

    assertThat(calls).filteredOn(call -> call.result().status() == OK).hasSize(1);
    assertThat(calls).filteredOn(call -> call.result().status() == ALREADY).hasSize(19);
    assertThat(shard.stock(item)).isEqualTo("10");
    assertThat(shard.receipt(item, "alice")).startsWith("0;").contains("|2|r|");
    assertThat(shard.read(item).adds()).isEqualTo(2);
    LogEntry last = shard.log().get(shard.log().size() - 1);
    assertThat(last)
        .isEqualTo(
            new LogEntry.Release(
                last.id(),
                last.atMs(),
                new UserId("alice"),
                win,
                "user",
                List.of(new LogEntry.ReleasedLine(item, 2, true))));
  }

  @Test
  void releaseShouldGiveAllLinesOfABasketBack() {
    ItemId one = shard.sell(2, 10);
    ItemDefinition endedDefinition = shard.define(2);
    ItemId ended = shard.sell(endedDefinition, 10);
    EntryId win = shard.win(basket("alice", "k", Map.of(one, 1, ended, 2)));
    shard.put(endedDefinition, 3, ItemState.ENDED);

    assertThat(shard.release("alice", win, one, ended).status()).isEqualTo(OK);
    assertThat(shard.stock(one)).isEqualTo("10");
    assertThat(shard.stock(ended)).isEqualTo("8");
    assertThat(shard.read(ended).granted()).isEqualTo(8);
    assertThat(shard.read(one).granted()).isEqualTo(10);
    LogEntry.Release entry = (LogEntry.Release) shard.log().get(shard.log().size() - 1);
    assertThat(entry.lines())
        .containsExactlyInAnyOrder(
            new LogEntry.ReleasedLine(one, 1, true), new LogEntry.ReleasedLine(ended, 2, false));
  }

  @Test
  void ST_12_releaseShouldLowerTheGrantWhenTheSaleHasEndedByTheClock() {
    long endsAtMs = shard.loop.get(shard.link::serverTimeMs) + 150;
    ItemId item = shard.sell(TestShard.define(TestShard.newItemId(), 1, 1, endsAtMs), 10);
    EntryId win = shard.win(buy("alice", null, item, 1));
    shard.loop.until("the sale has ended", () -> shard.link.serverTimeMs() > endsAtMs + 5);

    assertThat(shard.release("alice", win, item).status()).isEqualTo(OK);
    assertThat(shard.stock(item)).isEqualTo("9");
    assertThat(shard.read(item).granted()).isEqualTo(9);
    assertThat(shard.read(item).adds()).isEqualTo(1);
  }

  @Test
  void releaseShouldFindOnlyTheUsersOwnWin() {
    ItemId item = shard.sell(1, 10);
    ItemId other = shard.sell(1, 10);
    EntryId win = shard.win(buy("alice", null, item, 1));
    String before = shard.everything(item, other);
    assertThat(shard.release("bob", win, item).status()).isEqualTo(NOT_FOUND);
    assertThat(shard.release("alice", win, other).status()).isEqualTo(NOT_FOUND);
    assertThat(shard.release("alice", win, TestShard.newItemId()).status()).isEqualTo(NOT_FOUND);
    assertThat(shard.release("alice", new EntryId(shard.epoch(), 99), item).status())
        .isEqualTo(NOT_FOUND);
    assertThat(shard.release("alice", win, item, other).status()).isEqualTo(NOT_FOUND);
    assertThat(shard.everything(item, other)).isEqualTo(before);
  }

  @Test
  void releaseShouldBeALossWhenKeysOfTheItemAreGone() {
    ItemId item = shard.sell(1, 10);
    EntryId win = shard.win(buy("alice", null, item, 1));
    shard.redis("DEL", shard.keys.item(item));
    assertThat(shard.release("alice", win, item).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
  }

  @Test
  void OL_08_receiptShouldKeepTheLatestReleasedWins() {
    int kept = 32;
    ItemId item = shard.sell(2, 100);
    EntryId held = shard.win(buy("alice", "held", item, 1));
    List<EntryId> released = new ArrayList<>();
    for (int i = 0; i < kept + 4; i++) {
      EntryId win = shard.win(buy("alice", "k" + i, item, 1));
      assertThat(shard.release("alice", win, item).status()).isEqualTo(OK);
      released.add(win);
    }
    String receipt = shard.receipt(item, "alice");
    assertThat(receipt.split(";", -1)).hasSize(1 + 1 + kept);
    assertThat(receipt).startsWith("1;").contains("|" + held + "|1|h|");
    for (int i = 4; i < kept + 4; i++) {
      assertThat(shard.decideOne(buy("alice", "k" + i, item, 1)))
          .isEqualTo(new Decision(PurchaseStatus.REPLAY, released.get(i), 0));
    }
    assertThat(shard.decideOne(buy("alice", "k3", item, 1)).status()).isEqualTo(PurchaseStatus.WIN);
    assertThat(shard.stock(item)).isEqualTo("98");
  }

  @Test
  void receiptOfAnEarlierVersionShouldBeReadAndExtended() {
    ItemId item = shard.sell(3, 10);
    EntryId win = shard.win(buy("alice", "k", item, 1));
    String receipt = shard.receipt(item, "alice");
    String old = receipt.substring(0, receipt.lastIndexOf('|'));
    shard.redis("HSET", shard.keys.receipts(item), "alice", old);
    assertThat(shard.decideOne(buy("alice", "k", item, 1)))
        .isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    shard.win(buy("alice", "later", item, 1));
    assertThat(shard.receipt(item, "alice")).startsWith("2" + old.substring(1) + ";");
    assertThat(shard.release("alice", win, item).status()).isEqualTo(OK);
    assertThat(shard.release("alice", win, item).status()).isEqualTo(ALREADY);
    assertThat(shard.stock(item)).isEqualTo("9");
  }

  @Test
  void stepsShouldWriteNothingWhenTheFenceRefuses() {
    ItemDefinition definition = shard.define(1);
    ItemId item = shard.sell(definition, 5);
    EntryId win = shard.win(buy("alice", null, item, 1));
    String before = shard.everything(item);
    Fence right = shard.fence();
    Fence otherEpoch = new Fence(right.epoch() + 1, right.runId(), right.notAfterMs());
    Fence otherServer = new Fence(right.epoch(), "another", right.notAfterMs());
    Fence late = new Fence(right.epoch(), right.runId(), right.notAfterMs() - 3_600_000);
    assertThat(allSteps(otherEpoch, definition, win)).containsOnly(FENCED);
    assertThat(allSteps(otherServer, definition, win)).containsOnly(FENCED);
    assertThat(allSteps(late, definition, win).subList(0, CHANGES)).containsOnly(EXPIRED);
    assertThat(shard.everything(item)).isEqualTo(before);
    // Repairing steps need a shard that is being repaired, the others one that is open.
    assertThat(allSteps(right, definition, win).subList(CHANGES, CHANGES + 7)).containsOnly(FROZEN);
    shard.redis("HSET", shard.keys.head(), "state", "REPAIRING");
    String repairing = shard.everything(item);
    assertThat(allSteps(late, definition, win).subList(CHANGES, CHANGES + 7)).containsOnly(EXPIRED);
    assertThat(shard.everything(item)).isEqualTo(repairing);
    assertThat(allSteps(right, definition, win).subList(0, CHANGES)).containsOnly(FROZEN);
  }

  private List<StepResult.Status> allSteps(Fence fence, ItemDefinition item, EntryId win) {
    PutItem.ItemVersion version = new PutItem.ItemVersion(3, ItemState.PAUSED);
    RedisLink link = shard.link;
    RedisKeys keys = shard.keys;
    Move move = new Move(item.id(), 0, 2, Move.Kind.RESTOCK, 1);
    ReleaseWin.Args release =
        new ReleaseWin.Args(new UserId("alice"), win, "user", List.of(item.id()), ItemGroups.NONE);
    Move out = new Move(item.id(), 0, 2, Move.Kind.WITHDRAW, 1);
    SalesRecord stop = new SalesRecord(true, 1);
    RemoveItem.Args removal = new RemoveItem.Args(item.id(), 3, "");
    SendUnits.Args send = new SendUnits.Args(item.id(), 1, 1, OptionalLong.empty());
    UserId bob = new UserId("bob");
    JoinWaitlist.Args join = new JoinWaitlist.Args(bob, item.id(), "", 10, 1_000);
    LeaveWaitlist.Args leave = new LeaveWaitlist.Args(bob, item.id());
    PromoteWaiters.Args promotion = new PromoteWaiters.Args(item.id(), "", 1, 1_000);
    RestoreWaiters.Page line =
        new RestoreWaiters.Page(item.id(), true, List.of(new RestoreWaiters.Waiter(bob, 1)));
    RestoreHoldings.Page page = new RestoreHoldings.Page("g", true, Map.of("bob", 1L));
    RestoreItem.Counters counters = new RestoreItem.Counters(1, 1, 0, 0, 5, 5);
    return List.of(
        shard.step(() -> PutItem.run(link, fence, keys, item, version, TIMEOUT_MS)),
        shard.step(
            () -> ApplyMove.run(link, fence, keys, new ApplyMove.Args(move, ""), TIMEOUT_MS)),
        shard.step(() -> ReleaseWin.run(link, fence, keys, release, TIMEOUT_MS)),
        shard.step(() -> TakeUnits.run(link, fence, keys, out, TIMEOUT_MS)),
        shard.step(() -> SwitchSales.run(link, fence, keys, stop, TIMEOUT_MS)),
        shard.step(() -> RemoveItem.run(link, fence, keys, removal, TIMEOUT_MS)),
        statusOf(shard.run(() -> SendUnits.run(link, fence, keys, send, TIMEOUT_MS))),
        statusOf(shard.run(() -> JoinWaitlist.run(link, fence, keys, join, TIMEOUT_MS))),
        shard.step(() -> LeaveWaitlist.run(link, fence, keys, leave, TIMEOUT_MS)),
        statusOf(shard.run(() -> PromoteWaiters.run(link, fence, keys, promotion, TIMEOUT_MS))),
        shard.step(() -> RestoreItem.run(link, fence, keys, item, version, counters, TIMEOUT_MS)),
        shard.step(
            () ->
                RestoreReceipts.run(link, fence, keys, item.id(), Map.of("bob", "0"), TIMEOUT_MS)),
        shard.step(() -> RestoreHoldings.run(link, fence, keys, page, TIMEOUT_MS)),
        shard.step(() -> RestoreWaiters.run(link, fence, keys, line, TIMEOUT_MS)),
        shard.step(() -> ForgetItem.run(link, fence, keys, new ItemId(404), TIMEOUT_MS)),
        shard.step(() -> RenewRepair.run(link, fence, keys, TIMEOUT_MS)),
        shard.step(() -> OpenShard.run(link, fence, keys, SalesRecord.UNTOUCHED, TIMEOUT_MS)));
  }

  private static StepResult.Status statusOf(SendUnits.Result result) {
    return StepResult.Status.valueOf(((SendUnits.NotSent) result).reason().name());
  }

  private static StepResult.Status statusOf(JoinWaitlist.Result result) {
    return StepResult.Status.valueOf(((JoinWaitlist.NotInLine) result).reason().name());
  }

  private static StepResult.Status statusOf(PromoteWaiters.Result result) {
    PromoteWaiters.Reason reason = ((PromoteWaiters.NotPromoted) result).reason();
    return reason == PromoteWaiters.Reason.IDLE ? OK : StepResult.Status.valueOf(reason.name());
  }

  // read_items

  @Test
  void readItemsShouldTellWhatIsUnknownMissingAndKnown() {
    ItemId known = shard.sell(1, 5);
    ItemId lost = shard.sell(1, 5);
    shard.redis("DEL", shard.keys.stock(lost));
    ItemId spoilt = shard.sell(1, 5);
    shard.redis("DEL", shard.keys.stock(spoilt));
    shard.redis("LPUSH", shard.keys.stock(spoilt), "x");
    ReadItems.Reading reading =
        shard
            .run(
                () ->
                    ReadItems.run(
                        shard.link,
                        shard.keys,
                        List.of(known, TestShard.newItemId(), lost, spoilt),
                        TIMEOUT_MS))
            .orElseThrow();
    assertThat(reading.epoch()).isEqualTo(shard.epoch());
    assertThat(reading.seq()).isEqualTo(9);
    assertThat(reading.runId()).isEqualTo(shard.link.runId());
    assertThat(reading.state()).isEqualTo(ReadHead.HeadState.OPEN);
    assertThat(reading.items().get(0).orElseThrow().stock()).contains(5L);
    assertThat(reading.items().get(1)).isEmpty();
    assertThat(reading.items().get(2).orElseThrow().stock()).isEmpty();
    assertThat(reading.items().get(3).orElseThrow().stock()).isEmpty();
    assertThat(shard.run(() -> ReadItems.known(shard.link, shard.keys, TIMEOUT_MS)))
        .containsExactly(known, lost, spoilt);

    shard.redis("DEL", shard.keys.head());
    assertThat(shard.run(() -> ReadItems.run(shard.link, shard.keys, List.of(known), TIMEOUT_MS)))
        .isEmpty();
  }
}

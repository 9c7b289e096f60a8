package io.seckill.lua;

import static io.seckill.lua.StepResult.Status.ALREADY;
import static io.seckill.lua.StepResult.Status.GAP;
import static io.seckill.lua.StepResult.Status.LOST;
import static io.seckill.lua.StepResult.Status.NOT_READY;
import static io.seckill.lua.StepResult.Status.NOT_WRITTEN;
import static io.seckill.lua.StepResult.Status.OK;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.item.Move;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.SendUnits.NotSent;
import io.seckill.lua.SendUnits.Reason;
import io.seckill.lua.SendUnits.Sent;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Units go to other shards, come from them, and go out for good. */
@ParameterizedClass
@EnumSource(TestServer.class)
class UnitsScriptsIT {

  private static final OptionalLong ANY = OptionalLong.empty();

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

  private static Move transfer(ItemId item, long number, long units) {
    return new Move(item, 0, number, Move.Kind.TRANSFER, units);
  }

  // send_units

  @Test
  void sendShouldTakeWhatIsAskedForAndTellIt() {
    ItemId item = shard.sell(1, 10);
    Sent sent = (Sent) shard.send(item, 4, 7, OptionalLong.of(0));

    assertThat(sent).isEqualTo(new Sent(new EntryId(shard.epoch(), 4), 4, 6, sent.atMs()));
    assertThat(shard.log().get(3))
        .isEqualTo(new LogEntry.UnitsSent(sent.entry(), sent.atMs(), item, 4, 7));
    ReadItems.ShardItem read = shard.read(item);
    assertThat(read.stock()).contains(6L);
    assertThat(read.sent()).isEqualTo(4);
    assertThat(read.granted()).as("what is between shards stays granted").isEqualTo(10);
    assertThat(read.adds()).as("nothing came in").isEqualTo(1);
    assertThat(read.lastMove()).isEqualTo(1);
  }

  @Test
  void ST_14_sendShouldNeverTakeMoreThanIsThere() {
    ItemId item = shard.sell(1, 3);
    shard.win(buy("alice", null, item, 1));
    assertThat(((Sent) shard.send(item, 1_000_000, 1, ANY)).units()).isEqualTo(2);
    assertThat(shard.stock(item)).isEqualTo("0");
    String before = shard.everything(item);

    assertThat(shard.send(item, 1, 1, ANY)).isEqualTo(new NotSent(Reason.EMPTY));
    shard.redis("SET", shard.keys.stock(item), "-2");
    assertThat(shard.send(item, 1, 1, ANY)).isEqualTo(new NotSent(Reason.EMPTY));
    shard.redis("SET", shard.keys.stock(item), "0");
    assertThat(shard.everything(item)).isEqualTo(before);
  }

  @Test
  void ST_14_onlyOneOfManyPlannersShouldSendWhenAllSawTheSameShard() {
    ItemId item = shard.sell(1, 100);
    SendUnits.Args plan = new SendUnits.Args(item, 5, 1, OptionalLong.of(0));
    List<Future<SendUnits.Result>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(
          shard.loop.start(
              () -> SendUnits.run(shard.link, shard.fence(), shard.keys, plan, TIMEOUT_MS)));
    }
    shard.loop.await(() -> Future.all(calls));

    assertThat(calls).filteredOn(call -> call.result() instanceof Sent).hasSize(1);
    assertThat(calls)
        .filteredOn(call -> call.result().equals(new NotSent(Reason.MOVED_ON)))
        .hasSize(19);
    assertThat(shard.stock(item)).isEqualTo("95");
    assertThat(shard.send(item, 5, 1, OptionalLong.of(5))).isInstanceOf(Sent.class);
  }

  @Test
  void sendShouldBeRefusedWhenTheItemIsNotOnSaleAndAllowedWhenItIsPaused() {
    assertThat(shard.send(TestShard.newItemId(), 1, 1, ANY))
        .isEqualTo(new NotSent(Reason.NOT_READY));
    ItemDefinition item = shard.define(1);
    shard.put(item, 1, ItemState.PREPARED);
    shard.move(item.id(), 1, 10);
    assertThat(shard.send(item.id(), 1, 1, ANY)).isEqualTo(new NotSent(Reason.NOT_READY));
    shard.put(item, 2, ItemState.PAUSED);
    assertThat(shard.send(item.id(), 1, 1, ANY)).isInstanceOf(Sent.class);
    shard.put(item, 3, ItemState.ENDED);
    assertThat(shard.send(item.id(), 1, 1, ANY)).isEqualTo(new NotSent(Reason.ENDED));

    long now = shard.loop.get(shard.link::serverTimeMs);
    ItemId over = shard.sell(TestShard.define(TestShard.newItemId(), 1, 1, now - 1), 10);
    assertThat(shard.send(over, 1, 1, ANY)).isEqualTo(new NotSent(Reason.ENDED));
    assertThat(shard.stock(over)).isEqualTo("10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.5"})
  void sendAndTakeShouldBeALossWhenTheStockIsGoneOrSpoilt(String stock) {
    ItemId item = shard.sell(1, 5);
    shard.redis("DEL", shard.keys.stock(item));
    if (!stock.isEmpty()) {
      shard.redis("SET", shard.keys.stock(item), stock);
    }
    assertThat(shard.send(item, 1, 1, ANY)).isEqualTo(new NotSent(Reason.LOST));
    assertThat(headState()).isEqualTo("FROZEN");
    assertThat(shard.send(item, 1, 1, ANY)).isEqualTo(new NotSent(Reason.FROZEN));
    shard.reopen();
    assertThat(shard.take(item, 2, 1).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
  }

  @Test
  void ST_11_unitsShouldStayWhenTheEntryCannotBeWritten() {
    ItemId item = shard.sell(1, 5);
    shard.redis("DEL", shard.keys.log());
    shard.redis("SET", shard.keys.log(), "x");
    String before = shard.redis("HGETALL", shard.keys.item(item)) + shard.stock(item);

    assertThat(shard.send(item, 1, 1, ANY)).isEqualTo(new NotSent(Reason.NOT_WRITTEN));
    assertThat(shard.take(item, 2, 1).status()).isEqualTo(NOT_WRITTEN);
    assertThat(shard.switchSales(true, 1).status()).isEqualTo(NOT_WRITTEN);
    assertThat(shard.remove(item, 3).status()).isEqualTo(NOT_WRITTEN);
    assertThat(shard.redis("HGETALL", shard.keys.item(item)) + shard.stock(item)).isEqualTo(before);
    assertThat(shard.text("HGET", shard.keys.head(), "sales")).isNull();
    assertThat(shard.seq()).isEqualTo(3);
  }

  // apply_move of a transfer

  @Test
  void transferShouldCountAsReceivedAndNotAsGranted() {
    ItemId item = shard.sell(1, 2);
    assertThat(shard.move(transfer(item, 2, 3)).status()).isEqualTo(OK);
    assertThat(shard.move(transfer(item, 2, 3)).status()).isEqualTo(ALREADY);
    assertThat(shard.move(transfer(item, 4, 3))).isEqualTo(new StepResult(GAP, "2"));

    ReadItems.ShardItem read = shard.read(item);
    assertThat(read.stock()).contains(5L);
    assertThat(read.received()).isEqualTo(3);
    assertThat(read.granted()).isEqualTo(2);
    assertThat(read.adds()).as("units came in twice").isEqualTo(2);
    assertThat(shard.log().get(3))
        .isEqualTo(
            new LogEntry.UnitsIn(
                new EntryId(shard.epoch(), 4), shard.log().get(3).atMs(), item, 2, 3));
  }

  @Test
  void ST_02_buyerShouldGetTheUnitsThatAnotherShardSent() {
    ItemDefinition item = shard.define(2);
    shard.sell(item, 1);
    try (TestShard rich = shard.openAnother()) {
      rich.sell(item, 1);
      assertThat(shard.decideOne(buy("alice", null, item.id(), 2)))
          .isEqualTo(new DecidePurchases.Decision(PurchaseStatus.DRY, null, 1));

      Sent sent = (Sent) rich.send(item.id(), 1, 0, OptionalLong.of(0));
      shard.move(transfer(item.id(), 2, sent.units()));

      shard.win(buy("alice", null, item.id(), 2));
      assertThat(shard.stock(item.id())).isEqualTo("0");
      assertThat(rich.stock(item.id())).isEqualTo("0");
      assertThat(rich.read(item.id()).sent()).isEqualTo(shard.read(item.id()).received());
    }
  }

  @Test
  void LU_02_unitsShouldStayExactBeyondWhatLuaPrints() {
    long many = 100_000_000_000_001L;
    ItemId item = shard.sell(1, many);
    assertThat(((Sent) shard.send(item, many - 1, 1, ANY)).units()).isEqualTo(many - 1);
    assertThat(shard.stock(item)).isEqualTo("1");
    assertThat(shard.read(item).sent()).isEqualTo(many - 1);
    shard.move(transfer(item, 2, many));
    assertThat(shard.read(item).received()).isEqualTo(many);
    assertThat(shard.take(item, 3, many - 1).status()).isEqualTo(OK);
    assertThat(shard.stock(item)).isEqualTo("2");
    assertThat(shard.read(item).granted()).isEqualTo(1);
    assertThat(((LogEntry.UnitsOut) shard.log().get(5)).units()).isEqualTo(many - 1);
  }

  // take_units

  @Test
  void takeShouldLeaveWhatIsHeldAndTellHowMuchWent() {
    ItemId item = shard.sell(2, 10);
    shard.win(buy("alice", null, item, 2));
    assertThat(shard.take(item, 2, 3).status()).isEqualTo(OK);
    assertThat(shard.take(item, 2, 3).status()).isEqualTo(ALREADY);
    assertThat(shard.take(item, 4, 3)).isEqualTo(new StepResult(GAP, "2"));
    assertThat(shard.take(item, 3, 1_000).status()).isEqualTo(OK);
    assertThat(shard.take(item, 4, 1).status()).isEqualTo(OK);

    assertThat(shard.log())
        .filteredOn(LogEntry.UnitsOut.class::isInstance)
        .extracting(
            entry -> ((LogEntry.UnitsOut) entry).move(),
            entry -> ((LogEntry.UnitsOut) entry).units())
        .containsExactly(tuple(2L, 3L), tuple(3L, 5L), tuple(4L, 0L));
    ReadItems.ShardItem read = shard.read(item);
    assertThat(read.stock()).contains(0L);
    assertThat(read.granted()).isEqualTo(2);
    assertThat(read.lastMove()).isEqualTo(4);
    assertThat(read.adds()).isEqualTo(1);
    assertThat(shard.move(item, 5, 4).status()).isEqualTo(OK);
    assertThat(shard.stock(item)).isEqualTo("4");
  }

  @Test
  void takeShouldTakeNothingOfADebtAndUnitsThatComeInShouldPayIt() {
    ItemId item = shard.sell(2, 3);
    shard.redis("SET", shard.keys.stock(item), "-2");
    assertThat(shard.take(item, 2, 5).status()).isEqualTo(OK);
    assertThat(shard.stock(item)).isEqualTo("-2");
    assertThat(shard.decideOne(buy("alice", null, item, 1)))
        .isEqualTo(new DecidePurchases.Decision(PurchaseStatus.DRY, null, 0));
    assertThat(shard.move(item, 3, 3).status()).isEqualTo(OK);
    assertThat(shard.stock(item)).isEqualTo("1");
    assertThat(headState()).isEqualTo("OPEN");
  }

  @Test
  void releaseShouldPayADebtFirstWhenTheSaleHasEnded() {
    ItemDefinition definition = shard.define(2);
    ItemId item = shard.sell(definition, 3);
    EntryId first = shard.win(buy("alice", null, item, 1));
    EntryId second = shard.win(buy("bob", null, item, 1));
    shard.redis("SET", shard.keys.stock(item), "-1");
    shard.put(definition, 3, ItemState.ENDED);

    shard.release("alice", first, item);
    assertThat(shard.stock(item)).isEqualTo("0");
    assertThat(shard.read(item).granted()).isEqualTo(3);
    shard.release("bob", second, item);
    assertThat(shard.stock(item)).isEqualTo("0");
    assertThat(shard.read(item).granted()).isEqualTo(2);
  }

  @Test
  void takeShouldWaitForTheFirstMove() {
    ItemDefinition item = shard.define(1);
    assertThat(shard.take(item.id(), 2, 1).status()).isEqualTo(NOT_READY);
    shard.put(item, 1, ItemState.PREPARED);
    assertThat(shard.take(item.id(), 2, 1)).isEqualTo(new StepResult(GAP, "0"));
    assertThat(shard.take(item.id(), 1, 1)).isEqualTo(new StepResult(GAP, "0"));
    assertThat(headState()).isEqualTo("OPEN");
  }

  /** The shard has sent four units that came by moves which it then lost. */
  private void reopenOwingFour(ItemDefinition item) {
    long epoch = shard.freezeNext();
    shard.restore(
        item,
        new PutItem.ItemVersion(0, ItemState.PREPARED),
        new RestoreItem.Counters(0, 0, 4, 0, 0, -4));
    shard.openFrozen(epoch);
  }

  @Test
  void itemOfWhichUnitsWereSentButNothingIsStoredShouldBeBroughtWithItsDebt() {
    ItemDefinition item = shard.define(1);
    reopenOwingFour(item);

    assertThat(shard.put(item, 1, ItemState.PREPARED).status()).isEqualTo(OK);
    assertThat(shard.move(item.id(), 1, 10).status()).isEqualTo(OK);
    assertThat(shard.put(item, 2, ItemState.OPEN).status()).isEqualTo(OK);
    ReadItems.ShardItem read = shard.read(item.id());
    assertThat(read.stock()).contains(6L);
    assertThat(List.of(read.granted(), read.sent())).containsExactly(10L, 4L);
  }

  @Test
  void ST_08_lostStockOfAnItemThatOwesItsFirstMoveShouldNeverBeMadeAnew() {
    ItemDefinition item = shard.define(1);
    reopenOwingFour(item);
    shard.put(item, 1, ItemState.PREPARED);
    shard.redis("DEL", shard.keys.stock(item.id()));

    assertThat(shard.move(item.id(), 1, 10).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
  }

  // Calls that no engine makes

  @Test
  void movesShouldGoThroughTheScriptOfTheirDirection() {
    Move in = transfer(new ItemId(1), 1, 1);
    Move out = new Move(new ItemId(1), 0, 1, Move.Kind.HOLD_BACK, 1);
    Fence fence = shard.fence();
    assertThatThrownBy(() -> TakeUnits.run(shard.link, fence, shard.keys, in, TIMEOUT_MS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                ApplyMove.run(
                    shard.link, fence, shard.keys, new ApplyMove.Args(out, ""), TIMEOUT_MS))
        .isInstanceOf(IllegalArgumentException.class);
    SendUnits.Args none = new SendUnits.Args(new ItemId(1), 0, 1, ANY);
    assertThatThrownBy(() -> SendUnits.run(shard.link, fence, shard.keys, none, TIMEOUT_MS))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package io.seckill.lua;

import static io.seckill.lua.TestShard.NO_LIMITS;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.SalesRecord;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Refused;
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

/** A shard is frozen, restored and opened again. */
@ParameterizedClass
@EnumSource(TestServer.class)
class OpeningScriptsIT {

  private static final int S = 1023;

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

  private FreezeShard.Result freeze(long epoch) {
    return freeze(epoch, S);
  }

  private FreezeShard.Result freeze(long epoch, int shardCount) {
    return shard.run(
        () ->
            FreezeShard.run(
                shard.link,
                shard.link.fence(epoch, TIMEOUT_MS),
                shard.keys,
                shardCount,
                TIMEOUT_MS));
  }

  private Optional<ReadHead.Head> head() {
    return shard.run(() -> ReadHead.run(shard.link, shard.keys, TIMEOUT_MS));
  }

  @Test
  void readHeadShouldTellWhereTheShardStands() {
    shard.sell(1, 1);
    assertThat(head())
        .contains(
            new ReadHead.Head(
                shard.epoch(),
                3,
                shard.link.runId(),
                ReadHead.HeadState.OPEN,
                S,
                0,
                SalesRecord.UNTOUCHED,
                3));
    shard.redis("DEL", shard.keys.head());
    assertThat(head()).isEmpty();
  }

  @Test
  void freezeShouldStopTheShardAndTellHowFarItHadDecided() {
    ItemId item = shard.sell(1, 10);
    long epoch = shard.epoch();
    EntryId win = shard.win(buy("alice", "k", item, 1));

    assertThat(freeze(epoch + 1)).isEqualTo(new FreezeShard.Frozen(epoch, win.seq(), true, false));
    assertThat(shard.call(shard.fence(), NO_LIMITS, buy("bob", "k", item, 1)))
        .isEqualTo(new Refused(FenceStatus.FENCED));
    assertThat(head())
        .contains(
            new ReadHead.Head(
                epoch + 1,
                0,
                shard.link.runId(),
                ReadHead.HeadState.REPAIRING,
                S,
                0,
                SalesRecord.UNTOUCHED,
                win.seq()));
    assertThat(shard.stock(item)).isEqualTo("9");
  }

  @Test
  void freezeShouldKeepTheLastDecidedPlaceOverASecondFreeze() {
    ItemId item = shard.sell(1, 10);
    long epoch = shard.epoch();
    EntryId win = shard.win(buy("alice", "k", item, 1));
    FreezeShard.Frozen decided = new FreezeShard.Frozen(epoch, win.seq(), true, false);

    assertThat(freeze(epoch + 1)).isEqualTo(decided);
    assertThat(freeze(epoch + 5)).isEqualTo(decided);
    assertThat(freeze(epoch + 6)).isEqualTo(decided);
    assertThat(
            shard.step(
                () ->
                    OpenShard.run(
                        shard.link,
                        shard.link.fence(epoch + 6, TIMEOUT_MS),
                        shard.keys,
                        SalesRecord.UNTOUCHED,
                        TIMEOUT_MS)))
        .isEqualTo(StepResult.Status.OK);
    assertThat(freeze(epoch + 7)).isEqualTo(new FreezeShard.Frozen(epoch + 6, 0, true, false));
  }

  @Test
  void freezeShouldTellTheLastPlaceOfAShardThatHadLostKeys() {
    ItemId item = shard.sell(1, 10);
    long epoch = shard.epoch();
    EntryId win = shard.win(buy("alice", "k", item, 1));
    shard.redis("DEL", shard.keys.stock(item));
    shard.decideOne(buy("bob", "k", item, 1));

    FreezeShard.Frozen damaged = new FreezeShard.Frozen(epoch, win.seq(), true, true);
    assertThat(freeze(epoch + 1)).isEqualTo(damaged);
    assertThat(freeze(epoch + 2)).isEqualTo(damaged);
  }

  @Test
  void freezeShouldKnowNothingWhenTheServerIsEmpty() {
    shard.redis("DEL", shard.keys.head());
    assertThat(freeze(7)).isEqualTo(new FreezeShard.Frozen(0, 0, false, false));
  }

  @Test
  void freezeShouldRefuseAnOlderClaimAndAnotherShardCount() {
    long epoch = shard.epoch();
    String before = shard.everything();
    assertThat(freeze(epoch)).isEqualTo(new FreezeShard.Stale(epoch));
    assertThat(freeze(epoch + 1, 3)).isEqualTo(new FreezeShard.OtherShardCount(S));
    Fence late = new Fence(epoch + 1, shard.link.runId(), 1);
    assertThat(shard.run(() -> FreezeShard.run(shard.link, late, shard.keys, S, TIMEOUT_MS)))
        .isEqualTo(new FreezeShard.Expired());
    assertThat(shard.everything()).isEqualTo(before);
  }

  @Test
  void openedShardShouldNumberItsEntriesFromOneAndKeepTheOldOnes() {
    ItemId item = shard.sell(2, 10);
    EntryId old = shard.win(buy("alice", "k1", item, 1));
    shard.reopen();

    assertThat(shard.decideOne(buy("alice", "k1", item, 1)))
        .isEqualTo(new Decision(PurchaseStatus.REPLAY, old, 0));
    assertThat(shard.win(buy("alice", "k2", item, 1))).isEqualTo(new EntryId(old.epoch() + 1, 1));
    assertThat(shard.redis("XLEN", shard.keys.log()).toLong()).isEqualTo(5);
    assertThat(shard.release("alice", old, item).status()).isEqualTo(StepResult.Status.OK);
    assertThat(shard.stock(item)).isEqualTo("9");
  }

  @Test
  void freezeShouldTellThatARepairStoppedHalfWay() {
    ItemDefinition definition = shard.define(2);
    ItemId item = shard.sell(definition, 10);
    long epoch = shard.epoch();
    EntryId win = shard.win(buy("alice", "k", item, 1));
    assertThat(freeze(epoch + 1)).isEqualTo(new FreezeShard.Frozen(epoch, win.seq(), true, false));
    Fence fence = shard.link.fence(epoch + 1, TIMEOUT_MS);
    shard.step(
        () ->
            RestoreItem.run(
                shard.link,
                fence,
                shard.keys,
                definition,
                new PutItem.ItemVersion(4, ItemState.OPEN),
                new RestoreItem.Counters(1, 1, 0, 0, 10, 9),
                TIMEOUT_MS));

    // The opener dies before alice's receipt is back: the next one must not take the shard for
    // whole.
    assertThat(freeze(epoch + 2)).isEqualTo(new FreezeShard.Frozen(epoch, win.seq(), true, true));
  }

  @Test
  void renewShouldMoveTheProgressThatOtherOpenersWatch() {
    long epoch = shard.epoch() + 1;
    freeze(epoch);
    for (int round = 1; round <= 2; round++) {
      assertThat(
              shard.step(
                  () ->
                      RenewRepair.run(
                          shard.link, shard.link.fence(epoch, TIMEOUT_MS), shard.keys, TIMEOUT_MS)))
          .isEqualTo(StepResult.Status.OK);
      assertThat(head().orElseThrow().progress()).isEqualTo(round);
    }
  }

  @Test
  void forgetShouldTakeTheItemAwayWithAllItsKeys() {
    ItemId item = shard.sell(1, 10);
    shard.win(buy("alice", "k", item, 1));
    long epoch = shard.epoch() + 1;
    freeze(epoch);

    assertThat(
            shard.step(
                () ->
                    ForgetItem.run(
                        shard.link,
                        shard.link.fence(epoch, TIMEOUT_MS),
                        shard.keys,
                        item,
                        TIMEOUT_MS)))
        .isEqualTo(StepResult.Status.OK);

    assertThat(
            shard
                .redis(
                    "EXISTS",
                    shard.keys.item(item),
                    shard.keys.stock(item),
                    shard.keys.receipts(item))
                .toLong())
        .isZero();
    assertThat(shard.redis("SISMEMBER", shard.keys.items(), item.toString()).toLong()).isZero();
  }

  @Test
  void restoreShouldWriteTheItemWholeAndEndTheSameWhenRepeated() {
    ItemDefinition definition = shard.define(2);
    ItemId item = shard.sell(definition, 10);
    shard.win(buy("spoilt", "k", item, 1));
    shard.redis("DEL", shard.keys.stock(item));
    long epoch = shard.epoch() + 1;
    freeze(epoch);
    EntryId win = new EntryId(1, 77);
    for (int round = 0; round < 2; round++) {
      Fence fence = shard.link.fence(epoch, TIMEOUT_MS);
      assertThat(
              shard.step(
                  () ->
                      RestoreItem.run(
                          shard.link,
                          fence,
                          shard.keys,
                          definition,
                          new PutItem.ItemVersion(4, ItemState.OPEN),
                          new RestoreItem.Counters(3, 5, 0, 0, 20, 12),
                          TIMEOUT_MS)))
          .isEqualTo(StepResult.Status.OK);
      assertThat(
              shard.step(
                  () ->
                      RestoreReceipts.run(
                          shard.link,
                          fence,
                          shard.keys,
                          item,
                          Map.of("alice", "1;" + "-||" + win + "|1|h", "bob", "0"),
                          TIMEOUT_MS)))
          .isEqualTo(StepResult.Status.OK);
    }
    assertThat(
            shard.step(
                () ->
                    OpenShard.run(
                        shard.link,
                        shard.link.fence(epoch, TIMEOUT_MS),
                        shard.keys,
                        SalesRecord.UNTOUCHED,
                        TIMEOUT_MS)))
        .isEqualTo(StepResult.Status.OK);

    assertThat(shard.read(item))
        .isEqualTo(
            new ReadItems.ShardItem(
                definition,
                new PutItem.ItemVersion(4, ItemState.OPEN),
                3,
                5,
                0,
                0,
                20,
                Optional.of(12L),
                0,
                OptionalLong.empty()));
    Fence fence = shard.link.fence(epoch, TIMEOUT_MS);
    assertThat(shard.call(fence, NO_LIMITS, buy("alice", null, item, 1), buy("bob", null, item, 2)))
        .isEqualTo(
            new DecidePurchases.Decided(
                1,
                null,
                Map.of(item, 5L),
                List.of(
                    new Decision(PurchaseStatus.REPLAY, win, 0),
                    new Decision(PurchaseStatus.WIN, new EntryId(epoch, 1), 10))));
  }
}

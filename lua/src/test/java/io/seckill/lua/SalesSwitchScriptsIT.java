package io.seckill.lua;

import static io.seckill.lua.StepResult.Status.ALREADY;
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
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.common.log.LogEntry;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The stop switch of all sales. */
@ParameterizedClass
@EnumSource(TestServer.class)
class SalesSwitchScriptsIT {

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

  private SalesRecord switchInHead() {
    return shard.run(() -> ReadHead.run(shard.link, shard.keys, TIMEOUT_MS)).orElseThrow().sales();
  }

  private PurchaseStatus statusOf(Purchase purchase) {
    return shard.decideOne(purchase).status();
  }

  @Test
  void switchShouldStopNewWinsAndLetReplaysThrough() {
    ItemId item = shard.sell(2, 10);
    Purchase early = buy("alice", "k1", item, 1);
    EntryId win = shard.win(early);
    assertThat(shard.switchSales(true, 1))
        .isEqualTo(new StepResult(OK, new EntryId(shard.epoch(), 5).toString()));

    assertThat(shard.decideOne(early)).isEqualTo(new Decision(PurchaseStatus.REPLAY, win, 0));
    assertThat(statusOf(buy("alice", "k1", item, 2))).isEqualTo(PurchaseStatus.CONFLICT);
    assertThat(statusOf(buy("alice", "k2", item, 1))).isEqualTo(PurchaseStatus.PAUSED);
    assertThat(statusOf(basket("bob", null, Map.of(item, 1)))).isEqualTo(PurchaseStatus.PAUSED);
    assertThat(shard.stock(item)).isEqualTo("9");
    assertThat(shard.release("alice", win, item).status()).isEqualTo(OK);

    assertThat(shard.switchSales(false, 2).status()).isEqualTo(OK);
    assertThat(statusOf(buy("alice", "k2", item, 1))).isEqualTo(PurchaseStatus.WIN);
    assertThat(shard.log())
        .filteredOn(LogEntry.SalesSwitched.class::isInstance)
        .extracting(
            entry -> ((LogEntry.SalesSwitched) entry).generation(),
            entry -> ((LogEntry.SalesSwitched) entry).stopped())
        .containsExactly(tuple(1L, true), tuple(2L, false));
  }

  @Test
  void switchShouldNotHideWhatIsTrueWithoutIt() {
    ItemDefinition ended = shard.define(1);
    shard.sell(ended, 1);
    shard.put(ended, 3, ItemState.ENDED);
    ItemId dry = shard.sell(1, 0);
    shard.switchSales(true, 1);
    assertThat(statusOf(buy("a", null, ended.id(), 1))).isEqualTo(PurchaseStatus.ENDED);
    assertThat(statusOf(buy("a", null, TestShard.newItemId(), 1)))
        .isEqualTo(PurchaseStatus.NOT_READY);
    assertThat(statusOf(buy("a", null, dry, 1))).isEqualTo(PurchaseStatus.PAUSED);
  }

  @Test
  void onlyAHigherGenerationShouldChangeTheSwitch() {
    assertThat(switchInHead()).isEqualTo(SalesRecord.UNTOUCHED);
    shard.switchSales(true, 4);
    String before = shard.everything();
    assertThat(shard.switchSales(false, 4).status()).isEqualTo(ALREADY);
    assertThat(shard.switchSales(false, 3)).isEqualTo(new StepResult(STALE, "4"));
    assertThat(shard.everything()).isEqualTo(before);
    assertThat(switchInHead()).isEqualTo(new SalesRecord(true, 4));
    ItemId item = shard.sell(1, 1);
    assertThat(
            shard
                .run(() -> ReadItems.run(shard.link, shard.keys, List.of(item), TIMEOUT_MS))
                .orElseThrow()
                .sales())
        .isEqualTo(new SalesRecord(true, 4));
  }

  @Test
  void openedShardShouldKnowTheLatestSwitch() {
    ItemId item = shard.sell(1, 10);
    long epoch = shard.freezeNext();
    shard.openFrozen(epoch, new SalesRecord(true, 2));
    assertThat(statusOf(buy("alice", null, item, 1))).isEqualTo(PurchaseStatus.PAUSED);

    // The opener asked the ledger before the switch was turned; the shard had it already.
    shard.switchSales(false, 3);
    shard.switchSales(true, 4);
    shard.openFrozen(shard.freezeNext(), new SalesRecord(false, 3));
    assertThat(switchInHead()).isEqualTo(new SalesRecord(true, 4));
    assertThat(statusOf(buy("alice", null, item, 1))).isEqualTo(PurchaseStatus.PAUSED);
    shard.openFrozen(shard.freezeNext(), new SalesRecord(false, 5));
    assertThat(statusOf(buy("alice", null, item, 1))).isEqualTo(PurchaseStatus.WIN);
  }
}

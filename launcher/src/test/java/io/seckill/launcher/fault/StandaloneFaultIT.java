package io.seckill.launcher.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.SalesRecord;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.lua.FreezeShard;
import io.seckill.lua.FreezeShard.Frozen;
import io.seckill.lua.OpenShard;
import io.seckill.lua.PutItem.ItemVersion;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.RestoreItem;
import io.seckill.lua.RestoreReceipts;
import io.seckill.lua.StepResult;
import io.seckill.testkit.Await;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandaloneFaultIT extends LostWritesContract {

  private static final int SHARD = 0;

  @Override
  RedisServers startServers() {
    return new StandaloneServer();
  }

  @Test
  void RF_02_aRepairerThatStalledShouldBeFencedWhenItWakes() throws Exception {
    ItemId item = sales().onSale(4L * sales().shards());
    sales().win(SHARD, item);
    try (ShardClient repairer =
        new ShardClient(sales().stack().node().vertx(), servers().uri(), sales().shards(), SHARD)) {
      long epoch = begin(repairer);

      // It stalls, and does not move on for so long that an engine takes over.
      Await.until(
          SaleSystem.BOUND,
          "an engine opens the shard again",
          () -> {
            Head head = repairer.head().orElseThrow();
            return head.state() == HeadState.OPEN && head.epoch() > epoch;
          });
      ToldWin won = sales().win(SHARD, item);
      assertThat(won.epoch()).isGreaterThan(epoch);

      goOn(repairer, epoch, item);
      // Its writes have changed nothing: the same click still finds its order.
      assertThat(sales().buy(won.user(), item).order()).isEqualTo(won.order());
    }
    sales().sellOut(item);
    assertSoldOut(sales().audit(), item, 4L * sales().shards());
  }

  /** The first steps of an opening. */
  private long begin(ShardClient repairer) throws Exception {
    long seen = repairer.head().orElseThrow().epoch();
    ShardClaimed claimed =
        sales()
            .ask(
                Addresses.LEDGER_CLAIM_SHARD,
                new ShardClaim(sales().region(), SHARD, seen, "stalled"),
                ShardClaimed.class);
    FreezeShard.Result frozen =
        repairer.call(
            () ->
                FreezeShard.run(
                    repairer.link(),
                    repairer.fence(claimed.epoch()),
                    repairer.keys(),
                    sales().shards(),
                    ShardClient.TIMEOUT_MS));
    assertThat(frozen).isInstanceOf(Frozen.class);
    return claimed.epoch();
  }

  /** The other steps, each of which has to be refused. */
  private void goOn(ShardClient repairer, long epoch, ItemId item) throws Exception {
    ItemDefinition spoilt =
        new ItemDefinition(item, "spoilt", 1, "CNY", "", 100, 0, Long.MAX_VALUE / 2, 1_000);
    StepResult restored =
        repairer.call(
            () ->
                RestoreItem.run(
                    repairer.link(),
                    repairer.fence(epoch),
                    repairer.keys(),
                    spoilt,
                    new ItemVersion(1, ItemState.OPEN),
                    new RestoreItem.Counters(1, 1, 0, 0, 1_000, 1_000),
                    ShardClient.TIMEOUT_MS));
    assertThat(restored.status()).isEqualTo(StepResult.Status.FENCED);
    StepResult receipts =
        repairer.call(
            () ->
                RestoreReceipts.run(
                    repairer.link(),
                    repairer.fence(epoch),
                    repairer.keys(),
                    item,
                    Map.of("somebody", "0;"),
                    ShardClient.TIMEOUT_MS));
    assertThat(receipts.status()).isEqualTo(StepResult.Status.FENCED);
    StepResult opened =
        repairer.call(
            () ->
                OpenShard.run(
                    repairer.link(),
                    repairer.fence(epoch),
                    repairer.keys(),
                    SalesRecord.UNTOUCHED,
                    ShardClient.TIMEOUT_MS));
    assertThat(opened.status()).isEqualTo(StepResult.Status.FENCED);
    assertThatThrownBy(
            () ->
                sales()
                    .ask(
                        Addresses.LEDGER_CLOSE_EPOCH,
                        new EpochClose(sales().region(), SHARD, epoch, epoch - 1, 0),
                        EpochClosed.class))
        .hasStackTraceContaining("another claim came later");
    assertThatThrownBy(
            () ->
                sales()
                    .ask(
                        Addresses.LEDGER_OPEN_SHARD,
                        new ShardOpen(sales().region(), SHARD, epoch),
                        Done.class))
        .hasStackTraceContaining("another claim came later");
  }
}

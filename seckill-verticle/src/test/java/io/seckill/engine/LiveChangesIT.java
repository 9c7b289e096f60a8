package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemChange.Action;
import io.seckill.common.bus.ItemChange.Values;
import io.seckill.common.bus.ItemChanged;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.order.PurchaseLine;
import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(EngineServers.class)
class LiveChangesIT {

  private static final int SHARDS = 4;

  @Parameter private EngineServers servers;

  private EngineFixture engine;

  @BeforeEach
  void startEngine() throws Exception {
    Map<String, String> config = new HashMap<>();
    config.put("redis.shards", Integer.toString(SHARDS));
    engine = new EngineFixture(servers.emptied(), config);
    engine.keepStoring();
  }

  @AfterEach
  void stopAll() throws Exception {
    engine.close();
  }

  @Test
  void ST_14_aTotalBelowWhatIsSoldShouldBeClippedAndSaySo() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);
    assertThat(engine.buyAtOnce("u", 60, item)).allMatch(reply -> reply.refusal() == null);

    awaitRest(item);

    ItemChanged lower = engine.changeNow(item, Action.SET_TOTAL, 50);

    assertThat(lower.asked()).isEqualTo(50);
    assertThat(lower.done()).isEqualTo(40);
    assertThat(lower.settled()).isTrue();
    assertThat(lower.record().units()).isEqualTo(60);
    assertThat(engine.stockInAll(item)).isZero();

    ItemChanged higher = engine.changeNow(item, Action.SET_TOTAL, 160);

    assertThat(higher.done()).isEqualTo(100);
    engine.awaitStockInAll(item, 100);
    engine.changeNow(item, Action.RESUME, 0);
    assertThat(engine.buyNow("late", "k", item, 1).refusal()).isNull();
  }

  @Test
  void ST_14_aWithdrawalShouldBeDoneOnceHoweverOftenItIsAskedFor() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);

    for (int i = 0; i < 3; i++) {
      ItemChanged changed =
          Await.result(
              EngineFixture.BOUND,
              "the withdrawal",
              engine.change("request-1", item, Action.WITHDRAW, Values.ofUnits(70)));
      assertThat(changed.asked()).isEqualTo(70);
      assertThat(changed.done()).isEqualTo(70);
      assertThat(changed.settled()).isTrue();
    }

    engine.awaitStockInAll(item, 30);
  }

  @Test
  void ST_14_twoAdminsAtOnceShouldAddUp() throws Exception {
    ItemId item = engine.openItem(1, 10, 1);

    Future<ItemChanged> one = engine.change(item, Action.RESTOCK, 10);
    Future<ItemChanged> two = engine.change(item, Action.RESTOCK, 10);
    Await.result(EngineFixture.BOUND, "both", Future.join(one, two));

    engine.awaitStockInAll(item, 30);
  }

  @Test
  void aWithdrawalShouldSayUnsettledWhenNothingIsStored() throws Exception {
    ItemId item = engine.openItem(1, 20, 1);
    engine.stopStoring();

    ItemChanged changed = engine.changeNow(item, Action.WITHDRAW, 5);

    assertThat(changed.settled()).isFalse();
    engine.awaitStockInAll(item, 15);
  }

  @Test
  void aRaisedLimitShouldCountWhatUsersHold() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);
    assertThat(engine.buyNow("u", "k1", item, 1).refusal()).isNull();
    assertThat(engine.buyNow("u", "k2", item, 1).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);

    change(item, Action.SET_LIMIT, Values.ofLimit(3));

    assertThat(engine.buyNow("u", "k3", item, 3).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);
    assertThat(engine.buyNow("u", "k4", item, 2).refusal()).isNull();
    assertThat(engine.buyNow("u", "k5", item, 1).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);
  }

  @Test
  void aWindowShouldBeMovedWhileTheSaleIsLive() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);
    long now = System.currentTimeMillis();

    change(item, Action.SET_WINDOW, Values.ofWindow(now + 60_000, now + 120_000));
    assertThat(engine.buyNow("u", "k", item, 1).refusal()).isEqualTo(ErrorCode.NOT_STARTED);

    change(item, Action.SET_WINDOW, Values.ofWindow(now - 60_000, now + 120_000));
    assertThat(engine.buyNow("u", "k", item, 1).refusal()).isNull();
  }

  @Test
  void theStopSwitchShouldHoldAllSalesAndReplaysShouldGoOn() throws Exception {
    ItemId phone = engine.openItem(1, 10, 1);
    ItemId cover = engine.openItem(2, 10, 1);
    assertThat(engine.buyNow("u", "k", phone, 1).refusal()).isNull();

    assertThat(engine.stopSales(true).stopped()).isTrue();

    assertThat(engine.board().stopped()).isTrue();
    assertThat(engine.buyAtOnce("v", 20, phone))
        .allMatch(reply -> reply.refusal() == ErrorCode.PAUSED);
    assertThat(engine.buyNow("v", "k", cover, 1).refusal()).isEqualTo(ErrorCode.PAUSED);
    assertThat(engine.buyNow("u", "k", phone, 1).replayed()).isTrue();

    assertThat(engine.stopSales(false).stopped()).isFalse();
    assertThat(engine.buyNow("v", "k", cover, 1).refusal()).isNull();
    assertThat(engine.board().stopped()).isFalse();
  }

  @Test
  void aShardThatMissedTheStopSwitchShouldBeBroughtToIt() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);
    engine.stopSales(true);
    // As if this shard had not been reachable.
    engine.redis(Command.HSET, engine.keys[2].head(), "salesGen", "0", "sales", "OPEN");

    Await.until(
        EngineFixture.BOUND,
        "the shard to be stopped",
        () ->
            engine
                .redis(Command.HGET, engine.keys[2].head(), "sales")
                .toString()
                .equals("STOPPED"));
    assertThat(engine.buyNow(engine.userOf(2, "u"), "k", item, 1).refusal())
        .isEqualTo(ErrorCode.PAUSED);
  }

  @Test
  void aCapShouldHoldUnitsBackAndGiveThemAgain() throws Exception {
    ItemId item = engine.openItem(1, 100, 1);
    assertThat(engine.buyAtOnce("u", 20, item)).allMatch(reply -> reply.refusal() == null);

    awaitRest(item);

    ItemChanged capped = engine.changeNow(item, Action.CAP, 30);

    assertThat(capped.done()).isEqualTo(70);
    assertThat(capped.record().reserve()).isEqualTo(70);
    engine.awaitStockInAll(item, 10);

    ItemChanged lifted = engine.changeNow(item, Action.CAP, ItemRecord.NO_CAP);

    assertThat(lifted.done()).isEqualTo(70);
    assertThat(lifted.record().reserve()).isZero();
    engine.awaitStockInAll(item, 80);
  }

  @Test
  void aGroupShouldHaveOneLimitOverItsItems() throws Exception {
    ItemGroup group = new ItemGroup("phones", 2);
    ItemId red = engine.openItem(EngineFixture.definition(1, 2, group), 100);
    ItemId blue = engine.openItem(EngineFixture.definition(2, 2, group), 100);

    assertThat(engine.buyNow("u", "k1", red, 1).refusal()).isNull();
    assertThat(engine.buyNow("u", "k2", blue, 2).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);
    assertThat(engine.buyNow("u", "k3", blue, 1).refusal()).isNull();
    assertThat(engine.buyNow("u", "k4", red, 1).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);

    PurchaseReply basket =
        Await.result(
            EngineFixture.BOUND,
            "an answer",
            engine.buy(
                "v",
                "k",
                List.of(
                    new PurchaseLine(red, new Quantity(1)),
                    new PurchaseLine(blue, new Quantity(1)))));
    assertThat(basket.refusal()).isNull();
    assertThat(engine.buyNow("v", "k2", blue, 1).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);
  }

  @Test
  void anArchivedItemShouldLeaveTheShardsAndTheBoard() throws Exception {
    ItemGroup group = new ItemGroup("phones", 1);
    ItemId item = engine.openItem(EngineFixture.definition(1, 1, group), 10);
    assertThat(engine.buyNow("u", "k", item, 1).refusal()).isNull();
    engine.changeNow(item, Action.END, 0);

    engine.ledger.archive(item);

    Await.until(EngineFixture.BOUND, "its keys to be gone", () -> keys(item) == 0);
    Await.until(
        EngineFixture.BOUND,
        "it to leave the board",
        () ->
            engine.board().items().stream().noneMatch(view -> view.definition().id().equals(item)));
    ItemId next = engine.openItem(EngineFixture.definition(2, 1, group), 10);
    assertThat(engine.buyNow("u", "k", next, 1).refusal()).isNull();
  }

  /** Units on their way between shards cannot be taken: holds the sale until all have arrived. */
  private void awaitRest(ItemId item) throws Exception {
    engine.changeNow(item, Action.PAUSE, 0);
    Await.until(
        EngineFixture.BOUND,
        "all units to have arrived",
        () -> {
          long travelling = 0;
          for (int shard = 0; shard < SHARDS; shard++) {
            String key = engine.keys[shard].item(item);
            travelling += engine.redis(Command.HGET, key, "sent").toLong();
            travelling -= engine.redis(Command.HGET, key, "recv").toLong();
          }
          return travelling == 0;
        });
  }

  private long keys(ItemId item) throws Exception {
    long found = 0;
    for (int shard = 0; shard < SHARDS; shard++) {
      found +=
          engine
              .redis(
                  Command.EXISTS,
                  engine.keys[shard].item(item),
                  engine.keys[shard].stock(item),
                  engine.keys[shard].receipts(item))
              .toLong();
    }
    return found;
  }

  private void change(ItemId item, Action action, Values values) throws Exception {
    Await.result(
        EngineFixture.BOUND,
        action.toString(),
        engine.change(action + "-" + values.hashCode(), item, action, values));
  }
}

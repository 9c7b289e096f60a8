package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.log.LogEntry;
import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(EngineServers.class)
class EngineIT {

  @Parameter private EngineServers servers;

  private EngineFixture engine;

  @AfterEach
  void stopEngine() throws Exception {
    if (engine != null) {
      engine.close();
    }
  }

  private void start(int shards, Map<String, String> overrides) throws Exception {
    Map<String, String> all = new HashMap<>(overrides);
    all.put("redis.shards", Integer.toString(shards));
    engine = new EngineFixture(servers.emptied(), all);
  }

  @ParameterizedTest
  @CsvSource({"100,16", "7,16", "1,16", "0,16", "1000,1"})
  void ST_01_preheatShouldLoseNoRemainderAndSellEveryUnit(long stock, int shards) throws Exception {
    start(shards, Map.of());

    ItemId item = engine.openItem(1, stock, 1);

    engine.awaitStockInAll(item, stock);
    long sold =
        engine.buyAtOnce("u", 2_000, item).stream()
            .filter(reply -> reply.refusal() == null)
            .count();
    assertThat(sold).isEqualTo(stock);
    assertThat(engine.stockInAll(item)).isZero();
    PurchaseReply late = engine.buyNow("late", "k", item, 1);
    assertThat(late.refusal()).isEqualTo(ErrorCode.SOLD_OUT);
  }

  @Test
  void ST_04_oneUserShouldGetOneOrderAndTheOthersTheRest() throws Exception {
    start(1, Map.of());
    ItemId item = engine.openItem(1, 10, 1);

    Set<String> orders = new HashSet<>();
    List<Future<PurchaseReply>> clicks = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      clicks.add(engine.buy("eager", "key-" + i, item, 1));
    }
    Await.result(EngineFixture.BOUND, "answers", Future.join(clicks));
    clicks.stream()
        .map(Future::result)
        .filter(reply -> reply.refusal() == null)
        .forEach(reply -> orders.add(reply.orderId().value()));

    assertThat(orders).hasSize(1);
    engine.awaitStockInAll(item, 9);
    assertThat(engine.buyAtOnce("other", 9, item)).allMatch(reply -> reply.refusal() == null);
  }

  @Test
  void OL_01_aRepetitionShouldGiveTheSameOrderAlsoAfterSellOut() throws Exception {
    start(1, Map.of());
    ItemId item = engine.openItem(1, 1, 1);

    PurchaseReply first = engine.buyNow("u", "key", item, 1);
    PurchaseReply again = engine.buyNow("u", "key", item, 1);

    assertThat(again.replayed()).isTrue();
    assertThat(again.orderId()).isEqualTo(first.orderId());
    assertThat(engine.buyNow("u", "other", item, 1).refusal()).isEqualTo(ErrorCode.LIMIT_REACHED);
    assertThat(engine.buyNow("v", "key", item, 1).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
  }

  @Test
  void ST_07_aSecondPreheatShouldPutNothingBack() throws Exception {
    start(4, Map.of());
    ItemId item = engine.openItem(1, 100, 1);
    long sold =
        engine.buyAtOnce("u", 60, item).stream().filter(reply -> reply.refusal() == null).count();

    Await.result(EngineFixture.BOUND, "preheat", engine.change(item, ItemChange.Action.PREHEAT, 0));

    engine.awaitStockInAll(item, 100 - sold);
  }

  @Test
  void ST_09_aRestockShouldEndSoldOut() throws Exception {
    start(16, Map.of());
    ItemId item = engine.openItem(1, 3, 1);
    engine.buyAtOnce("u", 500, item);
    assertThat(engine.buyNow("late", "k", item, 1).refusal()).isEqualTo(ErrorCode.SOLD_OUT);

    engine.changeNow(item, ItemChange.Action.RESTOCK, 5);

    engine.awaitStockInAll(item, 5);
    long sold =
        engine.buyAtOnce("v", 500, item).stream().filter(reply -> reply.refusal() == null).count();
    assertThat(sold).isEqualTo(5);
  }

  @Test
  void purchasesShouldBeDecidedWhateverLeadTheShardHasMeanwhile() throws Exception {
    start(1, Map.of());
    ItemId item = engine.openItem(1, 100, 1);
    ItemId other = engine.openItem(2, 100, 1);
    String head = engine.keys[0].head();
    for (int i = 0; i < 10; i++) {
      // As when another engine sold the other item last.
      String now = Long.toString(System.currentTimeMillis());
      String lead = (i % 2 == 0 ? other : item).toString();
      engine.redis(
          Command.HSET, head, "lead", lead, "leadSince", "0", "leadAt", now, "otherAt", now);
      assertThat(engine.buyNow("u" + i, "key", i % 3 == 0 ? other : item, 1).refusal()).isNull();
    }
    engine.awaitStockInAll(other, 96);
    engine.awaitStockInAll(item, 94);
  }

  @Test
  void pauseResumeAndEndShouldDecideAtOnce() throws Exception {
    start(2, Map.of());
    ItemId item = engine.openItem(1, 10, 1);

    Await.result(EngineFixture.BOUND, "pause", engine.change(item, ItemChange.Action.PAUSE, 0));
    assertThat(engine.buyNow("a", "k", item, 1).refusal()).isEqualTo(ErrorCode.PAUSED);
    Await.result(EngineFixture.BOUND, "resume", engine.change(item, ItemChange.Action.RESUME, 0));
    assertThat(engine.buyNow("a", "k", item, 1).refusal()).isNull();
    Await.result(EngineFixture.BOUND, "end", engine.change(item, ItemChange.Action.END, 0));
    assertThat(engine.buyNow("b", "k", item, 1).refusal()).isEqualTo(ErrorCode.ENDED);
    assertThat(engine.buyNow("a", "k", item, 1).replayed()).isTrue();
  }

  @Test
  void RF_05_aBurstShouldBeDecidedOrRefusedByName() throws Exception {
    start(1, Map.of("engine.maxQueue", "1000"));
    ItemId item = engine.openItem(1, 100, 1);

    List<PurchaseReply> replies = engine.buyAtOnce("u", 5_000, item);

    assertThat(replies.stream().filter(reply -> reply.refusal() == null)).hasSize(100);
    assertThat(replies.stream().map(PurchaseReply::refusal).filter(code -> code != null))
        .allMatch(code -> code == ErrorCode.SOLD_OUT || code == ErrorCode.BUSY);
  }

  @Test
  void ST_08_aMissingStockKeyShouldFreezeItsShardAloneAndBeRepaired() throws Exception {
    start(4, Map.of());
    ItemId item = engine.openItem(1, 400, 1);
    long soldBefore =
        engine.buyAtOnce("u", 40, item).stream().filter(reply -> reply.refusal() == null).count();
    assertThat(soldBefore).isEqualTo(40);
    // With nothing unfinished in the ledger, only the reading of the shards can notice.
    engine.storeLogs();
    engine.redis(Command.DEL, engine.keys[2].stock(item));

    engine.buyAtOnce("v", 40, item);
    engine.storeLogs();

    // The shard is written anew from what is stored, and then everybody can buy, each exactly once.
    Await.until(
        EngineFixture.BOUND,
        "every buyer to be served",
        () -> engine.buyAtOnce("v", 40, item).stream().allMatch(reply -> reply.refusal() == null));
    engine.awaitStockInAll(item, 400 - 80);
  }

  @Test
  void aChangeThatReachedOnlySomeShardsShouldBeFinishedInTheBackground() throws Exception {
    start(2, Map.of());
    ItemId item = engine.openItem(1, 10, 1);
    engine.storeLogs();
    Await.result(EngineFixture.BOUND, "pause", engine.change(item, ItemChange.Action.PAUSE, 0));

    // As if the engine had died after the first shard: the other one still sells.
    engine.redis(Command.HSET, engine.keys[1].item(item), "gen", "2", "state", "OPEN");

    Await.until(
        EngineFixture.BOUND,
        "the second shard to be paused again",
        () ->
            engine
                .redis(Command.HGET, engine.keys[1].item(item), "state")
                .toString()
                .equals("PAUSED"));
  }

  @Test
  void aSpoiltKeyShouldBeWrittenAnewAndStopNothingElse() throws Exception {
    start(1, Map.of());
    ItemId item = engine.openItem(1, 10, 1);
    assertThat(engine.buyNow("u", "k", item, 1).refusal()).isNull();
    engine.storeLogs();
    engine.redis(Command.DEL, engine.keys[0].receipts(item));
    engine.redis(Command.SET, engine.keys[0].receipts(item), "spoilt");

    Await.until(
        EngineFixture.BOUND,
        "the buyer's order to be told again",
        () -> engine.buyNow("u", "k", item, 1).replayed());
    assertThat(engine.stock(0, item)).isEqualTo(9);
  }

  @Test
  void logShouldHaveNoGap() throws Exception {
    start(1, Map.of());
    ItemId item = engine.openItem(1, 50, 1);
    engine.buyAtOnce("u", 80, item);

    List<LogEntry> log = engine.log(0);

    for (int i = 0; i < log.size(); i++) {
      assertThat(log.get(i).id().seq()).isEqualTo(i + 1);
    }
    assertThat(log.stream().filter(LogEntry.Win.class::isInstance)).hasSize(50);
  }
}

package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.TransferStore;
import io.seckill.common.bus.TransferStored;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.log.LogEntry;
import io.seckill.common.order.PurchaseLine;
import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import io.vertx.redis.client.Command;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(EngineServers.class)
class EngineTransfersIT {

  private static final int SHARDS = 16;

  @Parameter private EngineServers servers;

  private String uri;
  private EngineFixture engine;
  private EngineFixture second;

  @BeforeEach
  void startEngine() throws Exception {
    uri = servers.emptied();
    engine = node(null, Map.of());
  }

  private EngineFixture node(LedgerPeer shared, Map<String, String> more) throws Exception {
    Map<String, String> config = new HashMap<>(more);
    config.put("redis.shards", Integer.toString(SHARDS));
    return new EngineFixture(uri, config, shared);
  }

  @AfterEach
  void stopAll() throws Exception {
    if (second != null) {
      second.close();
    }
    engine.close();
  }

  @Test
  void ST_02_theTailShouldSellToTheLastUnit() throws Exception {
    ItemId item = engine.openItem(1, 17, 1);

    List<PurchaseReply> replies = untilNobodyIsBusy(() -> engine.buyAtOnce("u", 5_000, item));

    assertThat(replies.stream().filter(reply -> reply.refusal() == null)).hasSize(17);
    assertThat(replies)
        .allMatch(reply -> reply.refusal() == null || reply.refusal() == ErrorCode.SOLD_OUT);
    assertConserved(item, 17);
  }

  @Test
  void ST_02_buyersOfOneShardShouldGetTheUnitsOfAll() throws Exception {
    ItemId item = engine.openItem(1, 40, 1);

    List<PurchaseReply> replies =
        untilNobodyIsBusy(
            () -> {
              List<Future<PurchaseReply>> buys = new ArrayList<>();
              for (int i = 0; i < 50; i++) {
                buys.add(engine.buy(engine.userOf(3, "u" + i + "-"), "k", item, 1));
              }
              Await.result(EngineFixture.BOUND, "answers", Future.join(buys));
              return buys.stream().map(Future::result).toList();
            });

    assertThat(replies.stream().filter(reply -> reply.refusal() == null)).hasSize(40);
    assertThat(replies.stream().filter(reply -> reply.refusal() == ErrorCode.SOLD_OUT)).hasSize(10);
    assertConserved(item, 40);
  }

  @Test
  void ST_02_aPurchaseOfTwoShouldGatherSingleUnits() throws Exception {
    ItemId item = engine.openItem(1, SHARDS + 1, 2);

    for (int i = 0; i < SHARDS / 2; i++) {
      assertThat(engine.buyPatiently("u" + i, "k", item, 2).refusal()).as("buyer " + i).isNull();
    }

    assertThat(engine.buyPatiently("late", "k", item, 2).refusal())
        .isEqualTo(ErrorCode.INSUFFICIENT_STOCK);
    assertThat(engine.buyPatiently("last", "k", item, 1).refusal()).isNull();
    assertThat(engine.buyPatiently("late", "k2", item, 2).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
    assertConserved(item, SHARDS + 1);
  }

  @Test
  void aBasketShouldGatherEachOfItsLines() throws Exception {
    ItemId phone = engine.openItem(1, SHARDS, 2);
    ItemId cover = engine.openItem(2, SHARDS, 2);
    List<PurchaseLine> lines =
        List.of(new PurchaseLine(phone, new Quantity(2)), new PurchaseLine(cover, new Quantity(2)));

    for (int i = 0; i < SHARDS / 2; i++) {
      String user = "u" + i;
      PurchaseReply reply = EngineFixture.patiently(() -> engine.buy(user, "k", lines));
      assertThat(reply.refusal()).as("buyer " + i).isNull();
    }

    PurchaseReply late = EngineFixture.patiently(() -> engine.buy("late", "k", lines));
    assertThat(late.refusal()).isEqualTo(ErrorCode.SOLD_OUT);
    assertConserved(phone, SHARDS);
    assertConserved(cover, SHARDS);
  }

  @Test
  void aShardThatSellsMostShouldBeFedBeforeItIsDry() throws Exception {
    ItemId item = engine.openItem(1, 1_600, 1);
    int[] next = {0};

    Await.until(
        EngineFixture.BOUND,
        "a transfer by trend",
        () -> {
          for (int i = 0; i < 10; i++) {
            engine.buyNow(engine.userOf(3, "u" + next[0]++ + "-"), "k", item, 1);
          }
          return engine.registry.counter("seckill.engine.transfer.units", "cause", "TREND").count()
              > 0;
        });

    assertThat(engine.stock(3, item)).isPositive();
    assertConserved(item, 1_600);
  }

  @Test
  void anEngineThatDiedAfterSendingShouldStrandNothing() throws Exception {
    ItemId item = engine.openItem(1, SHARDS, 2);
    engine.ledger.loseTransfers(true);

    PurchaseReply first = engine.buyNow("u", "k", item, 2);

    assertThat(first.refusal()).isEqualTo(ErrorCode.BUSY);
    assertThat(sent(item)).isPositive();
    assertThat(engine.stockInAll(item)).isEqualTo(SHARDS - sent(item));

    engine.ledger.loseTransfers(false);
    engine.keepStoring();
    sellAllInTwos(item);
    assertConserved(item, SHARDS);
  }

  @Test
  void anEngineThatDiedBeforeTheUnitsArrivedShouldStrandNothing() throws Exception {
    ItemId item = engine.openItem(1, SHARDS, 2);
    // Sent and told, as another node would have; nobody applies the move but the background.
    LogEntry.UnitsSent sent = sendByHand(item, 5, 9);
    Await.result(
        EngineFixture.BOUND,
        "the ledger",
        engine
            .vertx
            .eventBus()
            .<TransferStored>request(
                Addresses.LEDGER_STORE_TRANSFER,
                new TransferStore(
                    engine.config.node().region(),
                    5,
                    sent.id().epoch(),
                    sent.id().seq(),
                    sent.atMs(),
                    item,
                    1,
                    9))
            .map(Message::body));

    Await.until(EngineFixture.BOUND, "the unit to arrive", () -> engine.stock(9, item) == 2);
    assertConserved(item, SHARDS);
  }

  @Test
  void dryShardsShouldSayBusyWhileTheLedgerIsAway() throws Exception {
    ItemId item = engine.openItem(1, SHARDS, 2);
    engine.ledger.leave();

    Await.until(
        EngineFixture.BOUND,
        "the engine to notice",
        () -> {
          long before = sent(item);
          return engine.buyOnce("u", "k", item, 2).refusal() == ErrorCode.BUSY
              && sent(item) == before;
        });
    long sent = sent(item);
    for (int i = 0; i < 5; i++) {
      assertThat(engine.buyOnce("v" + i, "k", item, 2).refusal()).isEqualTo(ErrorCode.BUSY);
    }
    assertThat(sent(item)).isEqualTo(sent);

    engine.ledger.comeBack();
    engine.keepStoring();
    sellAllInTwos(item);
    assertConserved(item, SHARDS);
  }

  @Test
  void twoNodesAtOnceShouldSellEveryUnitOnce() throws Exception {
    second = node(engine.ledger, Map.of());
    ItemId item = engine.openItem(1, 50, 2);

    List<PurchaseReply> replies =
        untilNobodyIsBusy(
            () -> {
              List<Future<PurchaseReply>> buys = new ArrayList<>();
              for (int i = 0; i < 400; i++) {
                EngineFixture node = i % 2 == 0 ? engine : second;
                buys.add(node.buy("u" + i, "k", item, 1 + i / 2 % 2));
              }
              Await.result(EngineFixture.BOUND, "answers", Future.join(buys));
              return buys.stream().map(Future::result).toList();
            });

    assertThat(
            IntStream.range(0, 400)
                .filter(i -> replies.get(i).refusal() == null)
                .mapToLong(i -> 1 + i / 2 % 2)
                .sum())
        .isEqualTo(50);
    assertThat(engine.stockInAll(item)).isZero();
    assertConserved(item, 50);
  }

  @Test
  void aCrowdShouldBeServedByANodeThatDoesNotKnowItsItemYet() throws Exception {
    // It asks the ledger and the shards what there is once, before there is anything.
    second = node(engine.ledger, Map.of("engine.ledgerIntervalMs", "60000"));
    ItemGroup group = new ItemGroup("phones", 1);
    ItemId item = engine.openItem(EngineFixture.definition(1, 1, group), 1_600);
    ItemId other = engine.openItem(EngineFixture.definition(2, 1, group), 1_600);

    List<PurchaseReply> replies = untilNobodyIsBusy(() -> second.buyAtOnce("u", 400, item));

    assertThat(replies).allMatch(reply -> reply.refusal() == null);
    assertThat(untilNobodyIsBusy(() -> second.buyAtOnce("u", 400, other)))
        .allMatch(reply -> reply.refusal() == ErrorCode.LIMIT_REACHED);
    assertConserved(item, 1_600);
  }

  @Test
  void whoeverWaitsForUnitsShouldBeAnsweredWhenTheNodeStops() throws Exception {
    second = node(engine.ledger, Map.of());
    ItemId item = engine.openItem(1, SHARDS, 2);
    engine.ledger.leave();

    List<Future<PurchaseReply>> buys = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      buys.add(second.buy("u" + i, "k", item, 2));
    }
    second.undeploy();

    Await.result(EngineFixture.BOUND, "answers", Future.join(buys));
    // Whoever was still on the bus cannot know.
    assertThat(buys).allMatch(buy -> EngineFixture.asksToComeAgain(buy.result()));
    engine.ledger.comeBack();
  }

  @Test
  void ST_09_aRestockShouldEndSoldOutOnEveryNode() throws Exception {
    second = node(engine.ledger, Map.of());
    ItemId item = engine.openItem(1, 3, 1);
    untilNobodyIsBusy(() -> engine.buyAtOnce("u", 200, item));
    Await.until(
        EngineFixture.BOUND,
        "both nodes to say sold out",
        () -> engine.isSoldOut(item) && second.isSoldOut(item));

    // Nothing tells the second node: it reads the shards itself.
    engine.changeNow(item, ItemChange.Action.RESTOCK, 5);

    Await.until(
        EngineFixture.BOUND,
        "both nodes to sell",
        () -> !engine.isSoldOut(item) && !second.isSoldOut(item));
    List<PurchaseReply> replies = untilNobodyIsBusy(() -> second.buyAtOnce("v", 200, item));
    assertThat(replies.stream().filter(reply -> reply.refusal() == null)).hasSize(5);
    // Whoever won before gets his order, never "sold out".
    assertThat(engine.buyAtOnce("u", 200, item).stream().filter(PurchaseReply::replayed))
        .hasSize(3);
    assertConserved(item, 8);
  }

  /** Buyers follow the advice of BUSY, as those of a shop do. */
  private static List<PurchaseReply> untilNobodyIsBusy(Round round) throws Exception {
    List<List<PurchaseReply>> last = new ArrayList<>();
    Await.until(
        EngineFixture.BOUND,
        "nobody to be busy",
        () -> {
          last.add(round.buy());
          return last.get(last.size() - 1).stream().noneMatch(EngineFixture::asksToComeAgain);
        });
    return last.get(last.size() - 1);
  }

  private interface Round {
    List<PurchaseReply> buy() throws Exception;
  }

  private void sellAllInTwos(ItemId item) throws Exception {
    for (int i = 0; i < SHARDS / 2; i++) {
      String user = "w" + i;
      Await.until(
          EngineFixture.BOUND,
          user + " to get his two",
          () -> engine.buyNow(user, "k", item, 2).refusal() == null);
    }
    Await.until(
        EngineFixture.BOUND,
        "the item to be sold out",
        () -> engine.buyNow("late", "k", item, 1).refusal() == ErrorCode.SOLD_OUT);
  }

  private LogEntry.UnitsSent sendByHand(ItemId item, int from, int to) throws Exception {
    engine.send(item, from, to);
    return engine.log(from).stream()
        .filter(LogEntry.UnitsSent.class::isInstance)
        .map(LogEntry.UnitsSent.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private long sent(ItemId item) throws Exception {
    return counter(item, "sent");
  }

  private long counter(ItemId item, String field) throws Exception {
    long sum = 0;
    for (int shard = 0; shard < SHARDS; shard++) {
      sum += engine.redis(Command.HGET, engine.keys[shard].item(item), field).toLong();
    }
    return sum;
  }

  /**
   * I1: what was granted is on sale, held by wins, or on its way. The shards are read one after the
   * other, and units may move meanwhile: then the sum is taken again.
   */
  private void assertConserved(ItemId item, long granted) throws Exception {
    Await.until(
        EngineFixture.BOUND,
        granted + " units are all somewhere",
        () -> unitsSomewhere(item) == granted);
  }

  private long unitsSomewhere(ItemId item) throws Exception {
    long won = 0;
    for (int shard = 0; shard < SHARDS; shard++) {
      won +=
          engine.log(shard).stream()
              .flatMap(entry -> entry.taken().stream())
              .flatMap(win -> win.lines().stream())
              .filter(line -> line.item().equals(item))
              .mapToLong(LogEntry.WinLine::quantity)
              .sum();
    }
    long travelling = counter(item, "sent") - counter(item, "recv");
    return engine.stockInAll(item) + won + travelling;
  }
}

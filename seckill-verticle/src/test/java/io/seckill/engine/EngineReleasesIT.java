package io.seckill.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.order.PurchaseLine;
import io.seckill.engine.Releaser.Result;
import io.seckill.testkit.Await;
import io.seckill.testkit.Stalls;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the ledger says is to be released goes back to stock and to its user, once. */
class EngineReleasesIT {

  /** Longer than a test lasts, and half of it too. */
  private static final String NEVER_ASK_MS = "60000";

  private static final Duration AT_ONCE = Duration.ofSeconds(10);

  private final EngineNodes engines = new EngineNodes();

  @AfterEach
  void stopEngines() throws Exception {
    engines.stop();
  }

  @Test
  void OL_08_aBuyerShouldBuyAgainRightAfterHisOrderWasCancelled() throws Exception {
    EngineFixture engine = engines.start(4);
    ItemId item = engine.openItem(1, 4, 1);
    PurchaseReply first = engine.buyPatiently("u", "k0", item, 1);
    assertThat(first.refusal()).isNull();

    for (int round = 1; round <= 10; round++) {
      assertThat(engine.buyPatiently("u", "early" + round, item, 1).refusal())
          .isEqualTo(ErrorCode.LIMIT_REACHED);
      // Nobody is told: the engine asks by itself.
      engine.cancel("u");
      String key = "k" + round;
      Await.until(
          EngineFixture.BOUND,
          "an order again",
          () -> engine.buyPatiently("u", key, item, 1).refusal() == null);
      assertThat(engine.buyPatiently("u", key, item, 1).orderId()).isNotEqualTo(first.orderId());
    }

    // Whoever repeats the first click hears of the first order.
    assertThat(engine.buyPatiently("u", "k0", item, 1).orderId()).isEqualTo(first.orderId());
    engine.awaitReleased();
    assertThat(engine.ledger.releasesStored()).isEqualTo(10);
    assertWhole(engine, item, 4);
  }

  @Test
  void aReleaseShouldBeMadeAtOnceWhenAnEngineIsToldOfIt() throws Exception {
    EngineFixture engine = engines.start(2, "engine.releaseIntervalMs", NEVER_ASK_MS);
    ItemId item = engine.openItem(1, 2, 1);
    assertThat(engine.buyPatiently("u", "k", item, 1).refusal()).isNull();

    engine.cancel("u");
    engine.tellOfReleases();

    Await.kept(AT_ONCE, "the unit to be back", () -> engine.ledger.releasesWaiting() == 0);
    assertWhole(engine, item, 2);
    assertThat(engine.releases(Result.RELEASED)).isEqualTo(1);
  }

  @Test
  void OL_04_twoEnginesThatAreToldAtOnceShouldReleaseEachWinOnce() throws Exception {
    EngineFixture engine = engines.start(4);
    EngineFixture second = engines.startSecond(engine);
    ItemId item = engine.openItem(1, 400, 1);
    assertThat(engine.buyAtOnce("u", 300, item)).allMatch(reply -> reply.refusal() == null);
    awaitHeld(engine, item, 300);

    engine.ledger.cancelAll(item);
    for (int i = 0; i < 5; i++) {
      engine.tellOfReleases();
    }
    engine.awaitReleased();

    assertThat(engine.ledger.releasesStored()).isEqualTo(300);
    // An entry may be stored before its engine has heard the script's answer.
    Await.until(
        EngineFixture.BOUND,
        "both engines to have counted",
        () -> engine.releases(Result.RELEASED) + second.releases(Result.RELEASED) >= 300);
    assertWhole(engine, item, 400);
    assertThat(engine.releases(Result.RELEASED) + second.releases(Result.RELEASED)).isEqualTo(300);
    assertThat(untilNobodyIsBusy(engine, "u", "again", 300, item))
        .allMatch(reply -> reply.refusal() == null);
  }

  @Test
  void OL_04_anEngineThatDiedAfterReleasingShouldLeaveNothingUndone() throws Exception {
    EngineFixture engine = engines.start(2);
    EngineFixture second = engines.startSecond(engine, "engine.releaseIntervalMs", NEVER_ASK_MS);
    ItemId item = engine.openItem(1, 10, 1);
    assertThat(engine.buyAtOnce("u", 6, item)).allMatch(reply -> reply.refusal() == null);
    awaitHeld(engine, item, 6);
    engine.stopStoring();

    engine.ledger.cancelAll(item);
    Await.until(
        EngineFixture.BOUND, "the units to be back", () -> engine.releases(Result.RELEASED) == 6);
    engine.undeploy();
    second.tellOfReleases();
    Await.until(
        EngineFixture.BOUND,
        "the other engine to find it done",
        () -> second.releases(Result.ALREADY) == 6);
    assertThat(engine.ledger.releasesWaiting()).isEqualTo(6);
    engine.keepStoring();

    engine.awaitReleased();
    assertThat(second.releases(Result.RELEASED)).isZero();
    assertWhole(engine, item, 10);
  }

  @Test
  void RF_03_aReleaseThatRedisForgotShouldBeMadeAgain() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = engine.openItem(1, 10, 1);
    assertThat(engine.buyAtOnce("u", 10, item)).allMatch(reply -> reply.refusal() == null);
    awaitHeld(engine, item, 10);
    engine.stopStoring();
    engine.cancel("u3");
    Await.until(
        EngineFixture.BOUND, "the unit to be back", () -> engine.releases(Result.RELEASED) == 1);

    // The server forgets all, the release with it: no entry of it was stored.
    engine.redis(Command.FLUSHALL);
    engine.keepStoring();
    engine.awaitReleased();

    assertThat(engine.releases(Result.RELEASED)).isEqualTo(2);
    assertThat(engine.ledger.releasesStored()).isEqualTo(1);
    assertWhole(engine, item, 10);
    assertThat(engine.buyPatiently("u3", "again", item, 1).refusal()).isNull();
    assertThat(engine.buyPatiently("v", "k", item, 1).refusal()).isEqualTo(ErrorCode.SOLD_OUT);
  }

  @Test
  void aReleaseShouldWaitForAShardThatIsBeingOpened() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemId item = engine.openItem(1, 40, 1);
    assertThat(engine.buyAtOnce("u", 40, item)).allMatch(EngineReleasesIT::isWinOrBusy);
    untilNobodyIsBusy(engine, "u", "k", 40, item);
    awaitHeld(engine, item, 40);

    for (int round = 0; round < 5; round++) {
      // As if the shard's server had been started again, just when the news come.
      engine.redis(Command.HSET, engine.keys[0].head(), "runId", "another");
      engine.cancel("u" + round);
      engine.tellOfReleases();
      engine.awaitReleased();
    }

    assertThat(engine.ledger.releasesStored()).isEqualTo(5);
    assertWhole(engine, item, 40);
    assertThat(engine.ledger.held(item)).isEqualTo(35);
  }

  @Test
  void anEngineShouldLearnTheGroupOfAnItemThatItDoesNotKnow() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemGroup group = new ItemGroup("phones", 1);
    // It asks the ledger what there is once, before there is anything.
    EngineFixture second = engines.startSecond(engine, "engine.ledgerIntervalMs", "60000");
    ItemId red = engine.openItem(EngineFixture.definition(1, 1, group), 40);
    ItemId blue = engine.openItem(EngineFixture.definition(2, 1, group), 40);
    assertThat(engine.buyAtOnce("u", 20, red)).allMatch(reply -> reply.refusal() == null);
    awaitHeld(engine, red, 20);
    engine.undeploy();

    engine.ledger.cancelAll(red);
    engine.awaitReleased();

    assertThat(second.releases(Result.RELEASED)).isEqualTo(20);
    // Their quota of the group is free again.
    assertThat(untilNobodyIsBusy(second, "u", "k", 20, blue))
        .allMatch(reply -> reply.refusal() == null);
    assertWhole(second, red, 40);
    assertWhole(second, blue, 40);
  }

  @Test
  void aWinOfARemovedItemShouldNotHoldUpOthers() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId gone = engine.openItem(1, 10, 1);
    ItemId item = engine.openItem(2, 10, 1);
    assertThat(engine.buyPatiently("u", "k", gone, 1).refusal()).isNull();
    assertThat(engine.buyPatiently("v", "k", item, 1).refusal()).isNull();
    awaitHeld(engine, item, 1);
    engine.changeNow(gone, ItemChange.Action.END, 0);
    engine.ledger.archive(gone);
    Await.until(
        EngineFixture.BOUND,
        "the item to be gone",
        () -> engine.redis(Command.EXISTS, engine.keys[0].item(gone)).toLong() == 0);

    engine.cancel("u");
    engine.cancel("v");

    Await.until(
        EngineFixture.BOUND, "the other release", () -> engine.ledger.releasesWaiting() == 1);
    assertWhole(engine, item, 10);
    assertThat(engine.ledger.releasesStored()).isEqualTo(1);
    assertThat(engine.releases(Result.NOT_FOUND)).isPositive();
  }

  @Test
  void aReleaseThatFailsShouldNotHoldUpOthers() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId broken = engine.openItem(1, 100, 1);
    ItemId item = engine.openItem(2, 100, 1);
    // More than are tried at a time, and before the others.
    assertThat(engine.buyAtOnce("u", 20, broken)).allMatch(reply -> reply.refusal() == null);
    assertThat(engine.buyAtOnce("v", 20, item)).allMatch(reply -> reply.refusal() == null);
    awaitHeld(engine, broken, 20);
    awaitHeld(engine, item, 20);
    String receipts = engine.keys[0].receipts(broken);
    engine.redis(Command.RENAME, receipts, receipts + ":away");
    engine.redis(Command.SET, receipts, "no hash");

    engine.ledger.cancelAll(broken);
    engine.ledger.cancelAll(item);
    Await.until(
        EngineFixture.BOUND, "the other releases", () -> engine.ledger.releasesWaiting() == 20);

    assertThat(engine.ledger.held(item)).isZero();
    assertThat(engine.ledger.held(broken)).isEqualTo(20);
    assertThat(engine.releases(Result.FAILED)).isGreaterThanOrEqualTo(20);

    engine.redis(Command.DEL, receipts);
    engine.redis(Command.RENAME, receipts + ":away", receipts);
    engine.awaitReleased();
    assertWhole(engine, broken, 100);
    assertWhole(engine, item, 100);
  }

  @Test
  void aBasketShouldGoBackWhole() throws Exception {
    EngineFixture engine = engines.start(4);
    ItemId phone = engine.openItem(1, 40, 2);
    ItemId cover = engine.openItem(2, 40, 2);
    List<PurchaseLine> lines =
        List.of(new PurchaseLine(phone, new Quantity(2)), new PurchaseLine(cover, new Quantity(1)));
    assertThat(EngineFixture.patiently(() -> engine.buy("u", "k", lines)).refusal()).isNull();

    engine.cancel("u");
    engine.tellOfReleases();
    engine.awaitReleased();

    assertThat(engine.ledger.held(phone)).isZero();
    assertWhole(engine, phone, 40);
    assertWhole(engine, cover, 40);
    assertThat(EngineFixture.patiently(() -> engine.buy("u", "again", lines)).refusal()).isNull();
  }

  @Test
  void OL_08_anEndedSaleShouldGiveTheQuotaBackAndSellNoMore() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = engine.openItem(1, 10, 1);
    assertThat(engine.buyPatiently("u", "k", item, 1).refusal()).isNull();
    engine.changeNow(item, ItemChange.Action.END, 0);

    engine.cancel("u");
    engine.awaitReleased();

    assertThat(engine.stock(0, item)).isEqualTo(9);
    assertThat(engine.redis(Command.HGET, engine.keys[0].item(item), "granted").toLong())
        .isEqualTo(9);
    assertThat(engine.ledger.held(item)).isZero();
  }

  @Test
  void ST_09_aReleaseShouldEndSoldOutOnEveryNode() throws Exception {
    EngineFixture engine = engines.start(4);
    EngineFixture second = engines.startSecond(engine);
    ItemId item = engine.openItem(1, 3, 1);
    List<PurchaseReply> replies = untilNobodyIsBusy(engine, "u", "k", 100, item);
    assertThat(replies.stream().filter(reply -> reply.refusal() == null)).hasSize(3);
    awaitHeld(engine, item, 3);

    for (int round = 0; round < 3; round++) {
      Await.until(
          EngineFixture.BOUND,
          "both nodes to say sold out",
          () -> engine.isSoldOut(item) && second.isSoldOut(item));
      // Nobody is told, and of the two engines one only makes the release.
      engine.ledger.cancelAll(item);
      engine.awaitReleased();
      Await.until(
          EngineFixture.BOUND,
          "both nodes to sell",
          () -> !engine.isSoldOut(item) && !second.isSoldOut(item));
      replies = untilNobodyIsBusy(second, "round" + round + "-", "k", 100, item);
      assertThat(replies.stream().filter(reply -> reply.refusal() == null)).hasSize(3);
      assertThat(replies)
          .allMatch(reply -> reply.refusal() == null || reply.refusal() == ErrorCode.SOLD_OUT);
      awaitHeld(engine, item, 3);
    }
    assertWhole(engine, item, 3);
  }

  @Test
  void I4_ridersShouldNotMissAReleasedUnit() throws Exception {
    EngineFixture engine = engines.start(1);
    ItemId item = engine.openItem(1, 5, 1);
    for (int i = 0; i < 5; i++) {
      assertThat(engine.buyPatiently("winner" + i, "k", item, 1).refusal()).isNull();
    }
    awaitHeld(engine, item, 5);

    for (int round = 0; round < 5; round++) {
      Await.until(
          EngineFixture.BOUND,
          "a crowd that rides",
          () -> {
            long before = engine.riders();
            assertThat(engine.buyAtOnce("early", 500, item))
                .allMatch(reply -> reply.refusal() == ErrorCode.SOLD_OUT);
            return engine.riders() > before;
          });
      engine.cancel("winner" + round);
      engine.tellOfReleases();
      List<PurchaseReply> crowd = new ArrayList<>();
      String prefix = "late" + round + "-";
      Await.until(
          EngineFixture.BOUND,
          "somebody to get the unit",
          () -> {
            crowd.addAll(engine.buyAtOnce(prefix, 500, item));
            return crowd.stream().anyMatch(reply -> reply.refusal() == null);
          });
      assertThat(
              crowd.stream()
                  .filter(reply -> reply.refusal() == null)
                  .map(PurchaseReply::orderId)
                  .distinct())
          .hasSize(1);
      assertThat(engine.stock(0, item)).isZero();
      assertThat(engine.buyPatiently("winner" + round, "k", item, 1).replayed()).isTrue();
      assertThat(engine.buyPatiently("winner" + round, "more", item, 1).refusal())
          .isEqualTo(ErrorCode.SOLD_OUT);
    }
    assertWhole(engine, item, 5);
  }

  @Test
  void OL_06_tenThousandReleasesShouldGoBackBesideARunningSale() throws Exception {
    EngineFixture engine = engines.start(2);
    ItemId unpaid = engine.openItem(1, 11_000, 1);
    ItemId running = engine.openItem(2, 100_000, 1);
    for (int i = 0; i < 5; i++) {
      assertThat(untilNobodyIsBusy(engine, "u" + i + "-", "k", 2_000, unpaid))
          .allMatch(reply -> reply.refusal() == null);
    }
    awaitHeld(engine, unpaid, 10_000);

    engine.ledger.cancelAll(unpaid);
    List<PurchaseReply> beside = new ArrayList<>();
    Await.until(
        EngineFixture.BOUND,
        "all releases to be stored",
        () -> {
          beside.addAll(engine.buyAtOnce("v" + beside.size() + "-", 100, running));
          long made = engine.releases(Result.RELEASED);
          long unstored = made - engine.ledger.releasesStored();
          // Of each shard, and what one answer of the ledger has more: orders are stored soon.
          assertThat(unstored <= 2 * (1_000 + 250) || !Stalls.calm()).as("%d", unstored).isTrue();
          return engine.ledger.releasesWaiting() == 0;
        });

    assertThat(beside).hasSizeGreaterThan(100).allMatch(EngineReleasesIT::isWinOrBusy);
    assertThat(engine.releases(Result.RELEASED)).isEqualTo(10_000);
    assertWhole(engine, unpaid, 11_000);
    assertWhole(engine, running, 100_000);
  }

  private static boolean isWinOrBusy(PurchaseReply reply) {
    return reply.refusal() == null || EngineFixture.asksToComeAgain(reply);
  }

  /** Buyers follow the advice of BUSY, as those of a shop do. */
  private static List<PurchaseReply> untilNobodyIsBusy(
      EngineFixture engine, String prefix, String key, int users, ItemId item) throws Exception {
    List<List<PurchaseReply>> last = new ArrayList<>();
    Await.until(
        EngineFixture.BOUND,
        "nobody to be busy",
        () -> {
          List<Future<PurchaseReply>> buys = new ArrayList<>(users);
          for (int i = 0; i < users; i++) {
            buys.add(engine.buy(prefix + i, key, item, 1));
          }
          Await.result(EngineFixture.BOUND, "answers", Future.join(buys));
          last.add(buys.stream().map(Future::result).toList());
          return last.get(last.size() - 1).stream().noneMatch(EngineFixture::asksToComeAgain);
        });
    return last.get(last.size() - 1);
  }

  private static void awaitHeld(EngineFixture engine, ItemId item, long units) throws Exception {
    Await.until(
        EngineFixture.BOUND, units + " units held", () -> engine.ledger.held(item) == units);
  }

  /** I1: what was granted is on sale, held, or on its way; and nothing was released twice. */
  private static void assertWhole(EngineFixture engine, ItemId item, long granted)
      throws Exception {
    Await.until(
        EngineFixture.BOUND,
        granted + " units are all somewhere",
        () -> unitsSomewhere(engine, item) == granted);
    assertThat(engine.ledger.releasedAgain()).isZero();
  }

  private static long unitsSomewhere(EngineFixture engine, ItemId item) throws Exception {
    long units = engine.stockInAll(item) + engine.ledger.held(item);
    for (int shard = 0; shard < engine.keys.length; shard++) {
      String key = engine.keys[shard].item(item);
      units += engine.redis(Command.HGET, key, "sent").toLong();
      units -= engine.redis(Command.HGET, key, "recv").toLong();
    }
    return units;
  }
}

package io.seckill.lua;

import static io.seckill.lua.StepResult.Status.ALREADY;
import static io.seckill.lua.StepResult.Status.GROUP;
import static io.seckill.lua.StepResult.Status.LOST;
import static io.seckill.lua.StepResult.Status.MORE;
import static io.seckill.lua.StepResult.Status.NOT_FOUND;
import static io.seckill.lua.StepResult.Status.OK;
import static io.seckill.lua.StepResult.Status.STALE;
import static io.seckill.lua.TestShard.NO_LIMITS;
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
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
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

/** Variants with one limit over them, and the end of items. The group's limit is 3. */
@ParameterizedClass
@EnumSource(TestServer.class)
class GroupScriptsIT {

  @Parameter TestServer server;

  private TestShard shard;
  private ItemDefinition red;
  private ItemDefinition blue;
  private String group;
  private ItemId alone;

  @BeforeEach
  void open() {
    shard = TestShard.open(server.address());
    red = shard.define(2, 2);
    blue = shard.define(2, 2);
    group = red.group().id();
    shard.sell(red, 100);
    shard.sell(blue, 100);
    alone = shard.sell(2, 100);
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

  private PurchaseStatus statusOf(Purchase purchase) {
    return shard.decideOne(purchase).status();
  }

  // Limits over a group

  @Test
  void ST_06_limitOverTheGroupShouldHoldWhateverIsBoughtOfIt() {
    EntryId first = shard.win(buy("alice", "k1", red.id(), 2));
    assertThat(shard.decideOne(basket("alice", "k2", Map.of(blue.id(), 2, alone, 1))))
        .isEqualTo(new Decision(PurchaseStatus.LIMIT, null, 0));
    EntryId second = shard.win(basket("alice", "k3", Map.of(blue.id(), 1, alone, 1)));
    assertThat(shard.held(group, "alice")).isEqualTo("3");
    assertThat(shard.decideOne(buy("alice", "k4", blue.id(), 1)))
        .isEqualTo(new Decision(PurchaseStatus.LIMIT, second, 0));
    assertThat(shard.decideOne(buy("alice", "k5", red.id(), 1)))
        .isEqualTo(new Decision(PurchaseStatus.LIMIT, first, 0));
    assertThat(statusOf(basket("bob", null, Map.of(red.id(), 2, blue.id(), 2))))
        .isEqualTo(PurchaseStatus.LIMIT);
    assertThat(statusOf(buy("alice", "k6", alone, 1))).isEqualTo(PurchaseStatus.WIN);
    assertThat(shard.held(group, "bob")).isNull();

    assertThat(shard.release("alice", first, red.id()).status()).isEqualTo(OK);
    assertThat(shard.held(group, "alice")).isEqualTo("1");
    assertThat(statusOf(buy("alice", "k7", blue.id(), 1))).isEqualTo(PurchaseStatus.WIN);
    assertThat(statusOf(buy("alice", "k8", red.id(), 1))).isEqualTo(PurchaseStatus.WIN);
    assertThat(shard.held(group, "alice")).isEqualTo("3");
  }

  @Test
  void ST_06_parallelPurchasesOfAGroupShouldNeverExceedItsLimit() {
    List<Future<DecidePurchases.Result>> calls = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Purchase purchase = buy("alice", "k" + i, (i % 2 == 0 ? red : blue).id(), 1 + i % 2);
      calls.add(
          shard.loop.start(
              () ->
                  DecidePurchases.run(
                      shard.link,
                      shard.fence(),
                      shard.keys,
                      new Batch(NO_LIMITS, 0, item -> group, List.of(purchase)),
                      TIMEOUT_MS)));
    }
    shard.loop.await(() -> Future.all(calls));
    int taken = shard.wins().stream().mapToInt(win -> win.lines().get(0).quantity()).sum();
    assertThat(taken).isEqualTo(3);
    assertThat(shard.held(group, "alice")).isEqualTo("3");
  }

  @Test
  void ST_06_limitOverTheGroupShouldHoldWithinOneBatch() {
    Purchase[] clicks =
        IntStream.range(0, 20)
            .mapToObj(i -> buy("alice", "k" + i, (i % 2 == 0 ? red : blue).id(), 1))
            .toArray(Purchase[]::new);
    assertThat(shard.decide(clicks))
        .filteredOn(decision -> decision.status() == PurchaseStatus.WIN)
        .hasSize(3);
    assertThat(shard.held(group, "alice")).isEqualTo("3");
  }

  @Test
  void basketReleasedShouldGiveTheGroupsQuotaBackAndLeaveNoField() {
    EntryId win = shard.win(basket("alice", "k", Map.of(red.id(), 1, blue.id(), 2, alone, 1)));
    assertThat(shard.held(group, "alice")).isEqualTo("3");
    assertThat(shard.release("alice", win, red.id(), blue.id(), alone).status()).isEqualTo(OK);
    assertThat(shard.redis("EXISTS", shard.keys.held(group)).toLong()).isZero();
    assertThat(shard.release("alice", win, red.id(), blue.id(), alone).status()).isEqualTo(ALREADY);
  }

  @Test
  void purchaseShouldTakeNothingWhenTheCallNamesAnotherGroup() {
    Purchase first = buy("alice", "k1", red.id(), 1);
    EntryId win = shard.win(first);
    String before = shard.everything(red.id(), alone);
    for (ItemGroups wrong : List.<ItemGroups>of(ItemGroups.NONE, item -> "another")) {
      Batch batch = new Batch(NO_LIMITS, 0, wrong, List.of(first, buy("bob", null, red.id(), 1)));
      DecidePurchases.Result result =
          shard.run(
              () -> DecidePurchases.run(shard.link, shard.fence(), shard.keys, batch, TIMEOUT_MS));
      assertThat(((Decided) result).decisions())
          .containsExactly(
              new Decision(PurchaseStatus.REPLAY, win, 0),
              new Decision(PurchaseStatus.GROUP, null, 0));
      ReleaseWin.Args release =
          new ReleaseWin.Args(new UserId("alice"), win, "user", List.of(red.id()), wrong);
      assertThat(
              shard.step(
                  () -> ReleaseWin.run(shard.link, shard.fence(), shard.keys, release, TIMEOUT_MS)))
          .isEqualTo(GROUP);
    }
    assertThat(shard.everything(red.id(), alone)).isEqualTo(before);
    assertThat(shard.held(group, "alice")).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"type", "number"})
  void ST_08_spoiltHoldingsShouldBeALossAndTakeNothing(String what) {
    EntryId win = shard.win(buy("alice", "k1", red.id(), 1));
    if (what.equals("type")) {
      shard.redis("DEL", shard.keys.held(group));
      shard.redis("SET", shard.keys.held(group), "x");
    } else {
      shard.redis("HSET", shard.keys.held(group), "alice", "x");
    }
    long seq = shard.seq();
    assertThat(
            shard.decide(buy("alice", "k2", blue.id(), 1), buy("alice", "k2", alone, 1)).stream()
                .map(Decision::status))
        .containsExactly(PurchaseStatus.LOST, PurchaseStatus.WIN);
    assertThat(headState()).isEqualTo("FROZEN");
    assertThat(shard.seq()).isEqualTo(seq + 1);
    shard.reopen();
    assertThat(shard.release("alice", win, red.id()).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
  }

  @Test
  void groupOfAnItemShouldStayTheOneThatItCameWith() {
    ItemDefinition other =
        new ItemDefinition(
            red.id(),
            "new name",
            red.priceMinor(),
            red.currency(),
            red.picture(),
            red.limitPerUser(),
            red.startsAtMs(),
            red.endsAtMs(),
            red.payWithinMs(),
            new ItemGroup("another", 9));
    assertThat(shard.put(other, 3, ItemState.OPEN).status()).isEqualTo(OK);
    assertThat(shard.read(red.id()).definition().name()).isEqualTo("new name");
    assertThat(shard.read(red.id()).definition().group()).isEqualTo(red.group());
    assertThat(shard.read(alone).definition().group()).isNull();
  }

  // restore_holdings

  @Test
  void restoredHoldingsShouldBeTheLedgersAndNothingElse() {
    shard.win(buy("forgotten", null, red.id(), 2));
    shard.win(buy("alice", null, red.id(), 1));
    long epoch = shard.freezeNext();
    for (int round = 0; round < 2; round++) {
      assertThat(restore(new RestoreHoldings.Page(group, true, Map.of("alice", 3L)))).isEqualTo(OK);
      assertThat(restore(new RestoreHoldings.Page(group, false, Map.of("bob", 1L)))).isEqualTo(OK);
    }
    assertThat(shard.text("HGET", shard.keys.head(), "damaged")).isEqualTo("1");
    assertThat(shard.text("HGET", shard.keys.head(), "progress")).isEqualTo("4");
    shard.openFrozen(epoch);

    assertThat(shard.held(group, "forgotten")).isNull();
    assertThat(shard.held(group, "bob")).isEqualTo("1");
    assertThat(statusOf(buy("alice", "k", blue.id(), 1))).isEqualTo(PurchaseStatus.LIMIT);
    assertThat(statusOf(buy("bob", "k", blue.id(), 2))).isEqualTo(PurchaseStatus.WIN);
    assertThat(restore(new RestoreHoldings.Page(group, true, Map.of())))
        .isEqualTo(StepResult.Status.FROZEN);
    assertThat(shard.held(group, "bob")).isEqualTo("3");

    shard.freezeNext();
    assertThat(restore(new RestoreHoldings.Page(group, true, Map.of()))).isEqualTo(OK);
    assertThat(shard.redis("EXISTS", shard.keys.held(group)).toLong()).isZero();
  }

  @Test
  void pageOfHoldingsShouldHaveABound() {
    Map<String, Long> tooMany = new HashMap<>();
    for (int i = 0; i <= RestoreHoldings.MAX_USERS; i++) {
      tooMany.put("u" + i, 1L);
    }
    for (RestoreHoldings.Page page :
        List.of(
            new RestoreHoldings.Page(group, true, tooMany),
            new RestoreHoldings.Page(group, false, Map.of()))) {
      assertThatThrownBy(() -> restore(page)).isInstanceOf(IllegalArgumentException.class);
    }
    tooMany.remove("u0");
    shard.freezeNext();
    assertThat(restore(new RestoreHoldings.Page(group, true, tooMany))).isEqualTo(OK);
  }

  private StepResult.Status restore(RestoreHoldings.Page page) {
    return shard.step(
        () -> RestoreHoldings.run(shard.link, shard.fence(), shard.keys, page, TIMEOUT_MS));
  }

  // remove_item

  @Test
  void removeShouldTakeAnItemAwayWithAllItsKeys() {
    EntryId win = shard.win(buy("alice", null, alone, 1));
    assertThat(shard.remove(alone, 1)).isEqualTo(new StepResult(STALE, "2"));
    assertThat(shard.remove(alone, 3))
        .isEqualTo(new StepResult(OK, new EntryId(shard.epoch(), win.seq() + 1).toString()));
    assertThat(shard.remove(alone, 3).status()).isEqualTo(ALREADY);
    assertThat(shard.remove(TestShard.newItemId(), 3).status()).isEqualTo(ALREADY);

    assertThat(
            shard
                .redis(
                    "EXISTS",
                    shard.keys.item(alone),
                    shard.keys.stock(alone),
                    shard.keys.receipts(alone))
                .toLong())
        .isZero();
    assertThat(shard.run(() -> ReadItems.known(shard.link, shard.keys, TIMEOUT_MS)))
        .containsExactly(red.id(), blue.id());
    LogEntry last = shard.log().get(shard.log().size() - 1);
    assertThat(last)
        .isEqualTo(new LogEntry.ItemChanged(last.id(), last.atMs(), alone, 3, ItemState.ARCHIVED));
    assertThat(statusOf(buy("alice", null, alone, 1))).isEqualTo(PurchaseStatus.NOT_READY);
    assertThat(shard.release("alice", win, alone).status()).isEqualTo(NOT_FOUND);
    assertThat(headState()).isEqualTo("OPEN");
  }

  @Test
  void removedItemShouldNoLongerCountAgainstTheGroup() {
    int buyers = 3_000;
    ItemDefinition many = shard.define(2, red.group());
    shard.sell(many, buyers);
    for (int from = 0; from < buyers; from += DecidePurchases.MAX_BATCH) {
      int first = from;
      shard.decide(
          IntStream.range(first, first + DecidePurchases.MAX_BATCH)
              .mapToObj(i -> buy("u" + i, null, many.id(), 1))
              .toArray(Purchase[]::new));
    }
    shard.win(buy("u7", null, red.id(), 2));
    assertThat(shard.redis("HLEN", shard.keys.held(group)).toLong()).isEqualTo(buyers);
    long seq = shard.seq();

    assertThat(shard.remove(many.id(), 3).status()).isEqualTo(MORE);
    assertThat(statusOf(buy("late", null, many.id(), 1))).isEqualTo(PurchaseStatus.ENDED);
    assertThat(shard.send(many.id(), 1, 1, OptionalLong.empty()))
        .isEqualTo(new SendUnits.NotSent(SendUnits.Reason.ENDED));
    int calls = 1;
    StepResult.Status status;
    do {
      status = shard.remove(many.id(), 3).status();
      calls++;
      assertThat(calls).as("calls to remove the item").isLessThan(50);
    } while (status == MORE);

    assertThat(status).isEqualTo(OK);
    assertThat(calls).isGreaterThan(2);
    assertThat(shard.seq()).as("one entry in all").isEqualTo(seq + 1);
    assertThat(shard.redis("HLEN", shard.keys.held(group)).toLong()).isEqualTo(1);
    assertThat(shard.held(group, "u7")).isEqualTo("2");
    assertThat(shard.remove(many.id(), 3).status()).isEqualTo(ALREADY);
  }

  @Test
  void removeShouldRefuseAnotherGroupAndNoticeALoss() {
    shard.win(buy("alice", null, red.id(), 1));
    RemoveItem.Args wrong = new RemoveItem.Args(red.id(), 3, "");
    assertThat(
            shard.step(
                () -> RemoveItem.run(shard.link, shard.fence(), shard.keys, wrong, TIMEOUT_MS)))
        .isEqualTo(GROUP);
    shard.redis("DEL", shard.keys.item(red.id()));
    assertThat(shard.remove(red.id(), 3).status()).isEqualTo(LOST);
    assertThat(headState()).isEqualTo("FROZEN");
    shard.reopen();
    shard.redis("DEL", shard.keys.held(group));
    shard.redis("SET", shard.keys.held(group), "x");
    assertThat(shard.remove(blue.id(), 3).status()).isEqualTo(LOST);
    assertThat(shard.stock(blue.id())).isEqualTo("100");
  }
}

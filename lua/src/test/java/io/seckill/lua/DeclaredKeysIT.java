package io.seckill.lua;

import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.basket;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.SalesRecord;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.lua.DecidePurchases.Limits;
import io.seckill.testkit.RedisAddress;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs every script through its ways on every kind of server, a cluster node among them, and holds
 * what the scripts touched against what they declared.
 */
@ParameterizedClass
@EnumSource(TestServer.class)
class DeclaredKeysIT {

  @Parameter TestServer server;

  @Test
  void LU_03_everyScriptShouldDeclareEveryKeyThatItTouches() throws IOException {
    RedisAddress address = server.address();
    Set<String> covered = new TreeSet<>();
    try (TestShard shard = TestShard.connect(TestLoop.endpoint(address));
        TouchedKeys monitor = new TouchedKeys(address)) {
      runEverything(shard);
      String mark = "end-of-" + shard.keys.head();
      TouchedKeys.mark(address, mark);

      List<String> declared = List.of();
      for (TouchedKeys.Seen seen : monitor.until(mark)) {
        if (seen.isScriptCall()) {
          declared = seen.declared();
          covered.add(nameOf(seen.words().get(1)));
        } else if (seen.byScript()) {
          assertThat(declared)
              .as("keys that %s may touch", seen.words())
              .containsAll(TouchedKeys.keysOf(shard, seen.words()));
        }
      }
    }
    assertThat(covered)
        .as("a new script needs its way through this test")
        .containsExactlyElementsOf(ScriptFiles.scripts());
  }

  private static String nameOf(String sha1) {
    return ScriptFiles.scripts().stream()
        .map(Script::load)
        .filter(script -> script.sha1().equals(sha1))
        .map(Script::name)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("unknown script " + sha1));
  }

  private static void runEverything(TestShard shard) {
    // Known to the server before, so that each call is one EVALSHA.
    ScriptFiles.scripts().forEach(name -> shard.redis("SCRIPT", "LOAD", Script.load(name).text()));
    shard.reopen();
    ItemDefinition first = shard.define(2);
    ItemDefinition second = shard.define(2);
    ItemId one = shard.sell(first, 10);
    ItemId two = shard.sell(second, 10);
    shard.move(one, 2, 5);
    shard.put(first, 3, ItemState.PAUSED);
    shard.put(first, 4, ItemState.OPEN);
    EntryId win =
        shard
            .decide(
                new Limits(1_000, 5, 10_000),
                basket("alice", "k1", Map.of(one, 1, two, 1)),
                buy("bob", null, one, 1),
                buy("bob", null, one, 1),
                buy("carol", null, two, 2),
                buy("carol", "k2", TestShard.newItemId(), 1))
            .get(0)
            .entry();
    shard.release("alice", win, one, two);
    shard.read(one);
    shard.scan(one, ScanReceipts.START);
    shard.send(one, 2, 1, OptionalLong.of(0));
    shard.take(one, 3, 1);
    shard.switchSales(true, 1);
    shard.switchSales(false, 2);
    ItemDefinition variant = shard.define(2, 1);
    shard.sell(variant, 10);
    EntryId ofGroup = shard.win(basket("alice", "k3", Map.of(one, 1, variant.id(), 1)));
    shard.win(buy("bob", "k3", variant.id(), 2));
    shard.release("alice", ofGroup, one, variant.id());
    waitAndLetIn(shard, variant.id());
    waitAndLetIn(shard, one);
    assertThat(shard.remove(variant.id(), 3).status()).isEqualTo(StepResult.Status.OK);
    assertThat(shard.remove(two, 3).status()).isEqualTo(StepResult.Status.OK);

    shard.redis("XGROUP", "CREATE", shard.keys.log(), RedisKeys.GROUP, "0");
    shard.redis("XREADGROUP", "GROUP", RedisKeys.GROUP, "c", "STREAMS", shard.keys.log(), ">");
    shard.run(() -> AckLog.run(shard.link, shard.fence(), shard.keys, List.of(win), TIMEOUT_MS));
    shard.redis(
        "XGROUP", "CREATECONSUMER", shard.keys.log(), RedisKeys.GROUP, "gone-" + shard.keys.log());
    assertThat(
            shard.run(
                () ->
                    RemoveIdleConsumers.run(
                        shard.link,
                        shard.fence(),
                        shard.keys,
                        new RemoveIdleConsumers.Args("me", false, 0),
                        TIMEOUT_MS)))
        .isEqualTo(1);

    shard.redis("DEL", shard.keys.stock(one));
    assertThat(shard.decideOne(buy("dan", null, one, 1)).status()).isEqualTo(PurchaseStatus.LOST);
    shard.run(
        () ->
            FreezeShard.run(
                shard.link,
                shard.link.fence(shard.epoch() + 1, TIMEOUT_MS),
                shard.keys,
                1023,
                TIMEOUT_MS));
    Fence repair = shard.link.fence(shard.epoch() + 1, TIMEOUT_MS);
    shard.run(() -> RenewRepair.run(shard.link, repair, shard.keys, TIMEOUT_MS));
    shard.run(() -> ForgetItem.run(shard.link, repair, shard.keys, first.id(), TIMEOUT_MS));
    shard.run(
        () ->
            RestoreItem.run(
                shard.link,
                repair,
                shard.keys,
                first,
                new PutItem.ItemVersion(4, ItemState.OPEN),
                new RestoreItem.Counters(2, 3, 0, 0, 15, 14),
                TIMEOUT_MS));
    RestoreWaiters.Page line =
        new RestoreWaiters.Page(
            one, true, List.of(new RestoreWaiters.Waiter(new UserId("dan"), 1)));
    shard.run(() -> RestoreWaiters.run(shard.link, repair, shard.keys, line, TIMEOUT_MS));
    shard.run(
        () ->
            RestoreReceipts.run(
                shard.link, repair, shard.keys, one, Map.of("bob", "0"), TIMEOUT_MS));
    RestoreHoldings.Page page =
        new RestoreHoldings.Page(variant.group().id(), true, Map.of("bob", 1L));
    shard.run(() -> RestoreHoldings.run(shard.link, repair, shard.keys, page, TIMEOUT_MS));
    assertThat(
            shard.step(
                () ->
                    OpenShard.run(
                        shard.link, repair, shard.keys, SalesRecord.UNTOUCHED, TIMEOUT_MS)))
        .isEqualTo(StepResult.Status.OK);
  }

  /** Every way by which a unit comes to somebody who waits. */
  private static void waitAndLetIn(TestShard shard, ItemId item) {
    String user = "waiting-for-" + item + "-";
    long stock = shard.read(item).stock().orElseThrow();
    EntryId win = null;
    for (int i = 0; i < stock; i++) {
      win = shard.win(buy(user + "buyer" + i, null, item, 1));
    }
    for (int i = 0; i < 4; i++) {
      assertThat(shard.join(user + i, item)).isInstanceOf(JoinWaitlist.InLine.class);
    }
    shard.leave(user + 0, item);
    shard.find(item, List.of(user + 1), List.of(1L));
    assertThat(shard.release(user + "buyer" + (stock - 1), win, item).promoted()).isEqualTo(1);
    long move = shard.read(item).lastMove() + 1;
    assertThat(shard.move(item, move, 1).promoted()).isEqualTo(1);
    shard.redis("INCR", shard.keys.stock(item));
    assertThat(shard.promote(item, 5)).isEqualTo(new PromoteWaiters.Promoted(1, 0, 0, 0));
    shard.redis("INCRBY", shard.keys.stock(item), "10");
  }
}

package io.seckill.lua;

import static io.seckill.lua.TestShard.NO_LIMITS;
import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.lua.DecidePurchases.Decided;
import io.seckill.lua.DecidePurchases.Decision;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Scripts on a private server, whose state these tests change. */
class ScriptIT {

  private static final long FLUSH_EVERY_MS = 100;
  private static final int FLUSHES = 15;
  private static final int CALLS_IN_FLIGHT = 4;
  private static final int BATCH = 16;

  @Test
  void sha1ShouldBeTheServers() {
    try (EmbeddedRedis redis = TestRedis.start();
        TestShard shard = TestShard.open(TestRedis.address(redis))) {
      for (String name : ScriptFiles.scripts()) {
        Script script = Script.load(name);
        assertThat(shard.text("SCRIPT", "LOAD", script.text())).as(name).isEqualTo(script.sha1());
      }
    }
  }

  @Test
  void LU_01_noPurchaseShouldFailWhileScriptsAreFlushedUnderLoad() {
    try (EmbeddedRedis redis = TestRedis.start();
        TestShard shard = TestShard.open(TestRedis.address(redis))) {
      ItemId item = shard.sell(1, 1_000_000);
      shard.redis("CONFIG", "RESETSTAT");
      Load load = new Load(shard, item);
      List<Decision> decisions = shard.run(load::run);

      assertThat(decisions).extracting(Decision::status).containsOnly(PurchaseStatus.WIN);
      assertThat(shard.wins()).hasSameSizeAs(decisions);
      assertThat(shard.redis("HLEN", shard.keys.receipts(item)).toInteger())
          .isEqualTo(decisions.size());
      // The first calls and each flush make at most the calls in flight send the text.
      long texts = calls(shard.text("INFO", "commandstats"), "eval");
      assertThat(texts).isBetween(1L, (FLUSHES + 1L) * CALLS_IN_FLIGHT);
    }
  }

  private static long calls(String stats, String command) {
    return stats
        .lines()
        .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
        .mapToLong(line -> Long.parseLong(line.split("[=,]", -1)[1]))
        .findFirst()
        .orElse(0);
  }

  /** Keeps some batches in flight until the last flush; belongs to the shard's event loop. */
  private static final class Load {
    private final TestShard shard;
    private final ItemId item;
    private final List<Decision> decisions = new ArrayList<>();
    private int flushes;
    private int buyers;

    Load(TestShard shard, ItemId item) {
      this.shard = shard;
      this.item = item;
    }

    Future<List<Decision>> run() {
      TestLoop.VERTX.setPeriodic(
          FLUSH_EVERY_MS,
          timer -> {
            if (++flushes > FLUSHES) {
              TestLoop.VERTX.cancelTimer(timer);
            } else {
              shard.link.send(Request.cmd(Command.SCRIPT).arg("FLUSH"), TIMEOUT_MS);
            }
          });
      List<Future<Void>> chains = new ArrayList<>();
      for (int i = 0; i < CALLS_IN_FLIGHT; i++) {
        chains.add(next());
      }
      return Future.all(chains).map(decisions);
    }

    private Future<Void> next() {
      if (flushes > FLUSHES) {
        return Future.succeededFuture();
      }
      List<Purchase> batch =
          IntStream.range(0, BATCH).mapToObj(i -> buy("u" + buyers++, null, item, 1)).toList();
      return DecidePurchases.run(
              shard.link, shard.fence(), shard.keys, TestShard.batch(batch), TIMEOUT_MS)
          .compose(
              result -> {
                decisions.addAll(((Decided) result).decisions());
                return next();
              });
    }
  }

  @Test
  void ST_11_purchaseShouldTakeNothingWhenRedisIsAtItsMemoryBound() {
    try (EmbeddedRedis redis = TestRedis.start();
        TestShard shard = TestShard.open(TestRedis.address(redis))) {
      ItemId item = shard.sell(1, 10);
      Purchase early = buy("early", null, item, 1);
      shard.win(early);
      shard.redis("CONFIG", "SET", "maxmemory", "1000");
      String before = shard.everything(item);

      assertThat(shard.decide(buy("a", null, item, 1), early, buy("b", null, item, 1)))
          .extracting(Decision::status)
          .containsExactly(
              PurchaseStatus.NOT_WRITTEN, PurchaseStatus.REPLAY, PurchaseStatus.NOT_WRITTEN);
      assertThat(shard.move(item, 2, 5).status()).isEqualTo(StepResult.Status.NOT_WRITTEN);
      assertThat(shard.everything(item)).isEqualTo(before);

      shard.redis("CONFIG", "SET", "maxmemory", "0");
      assertThat(shard.decideOne(buy("a", null, item, 1)).status()).isEqualTo(PurchaseStatus.WIN);
    }
  }

  @Test
  void ST_11_batchShouldFinishWhenItReachesTheMemoryBoundOnItsWay() {
    try (EmbeddedRedis redis = TestRedis.start();
        TestShard shard = TestShard.open(TestRedis.address(redis))) {
      ItemId item = shard.sell(1, 10_000);
      long used =
          shard
              .text("INFO", "memory")
              .lines()
              .filter(line -> line.startsWith("used_memory:"))
              .mapToLong(line -> Long.parseLong(line.substring("used_memory:".length()).strip()))
              .findFirst()
              .orElseThrow();
      shard.redis("CONFIG", "SET", "maxmemory", Long.toString(used + 400_000));
      List<PurchaseStatus> all = new ArrayList<>();
      for (int from = 0; from < 10_000; from += 1_000) {
        int first = from;
        Purchase[] batch =
            IntStream.range(first, first + 1_000)
                .mapToObj(i -> buy("u" + i, null, item, 1))
                .toArray(Purchase[]::new);
        shard.decide(batch).forEach(decision -> all.add(decision.status()));
      }
      long wins = all.stream().filter(PurchaseStatus.WIN::equals).count();
      assertThat(all).contains(PurchaseStatus.NOT_WRITTEN);
      assertThat(wins).isPositive();
      assertThat(shard.stock(item)).isEqualTo(Long.toString(10_000 - wins));
      assertThat(shard.redis("HLEN", shard.keys.receipts(item)).toLong()).isEqualTo(wins);
      assertThat(shard.wins()).hasSize((int) wins);
    }
  }

  @Test
  void ST_11_unitShouldComeToItsWaiterOrStayHeldWhenRedisIsAtItsMemoryBound() {
    try (EmbeddedRedis redis = TestRedis.start();
        TestShard shard = TestShard.open(TestRedis.address(redis))) {
      ItemId item = shard.sell(1, 1);
      EntryId win = shard.win(buy("early", null, item, 1));
      shard.join("ann", item);
      shard.redis("CONFIG", "SET", "maxmemory", "1000");
      String before = shard.everything(item);

      assertThat(shard.join("bob", item))
          .isEqualTo(new JoinWaitlist.NotInLine(JoinWaitlist.Reason.NOT_WRITTEN));
      assertThat(shard.leave("ann", item).status()).isEqualTo(StepResult.Status.NOT_WRITTEN);
      assertThat(shard.release("early", win, item).status())
          .isEqualTo(StepResult.Status.NOT_WRITTEN);
      assertThat(shard.everything(item)).isEqualTo(before);

      shard.redis("CONFIG", "SET", "maxmemory", "0");
      assertThat(shard.release("early", win, item).promoted()).isEqualTo(1);
    }
  }

  @Test
  void RF_01_demotedServerShouldRefuseWithoutAnyChange() {
    try (EmbeddedRedis redis = TestRedis.start();
        TestShard shard = TestShard.open(TestRedis.address(redis))) {
      ItemId item = shard.sell(1, 10);
      String before = shard.everything(item);
      Fence fence = shard.fence();
      // Nobody listens there, so the server stays an unconnected replica that keeps its data.
      shard.redis("REPLICAOF", "127.0.0.1", "1");
      RedisCallException failure =
          catchThrowableOfType(
              RedisCallException.class,
              () -> shard.call(fence, NO_LIMITS, buy("alice", null, item, 1)));
      assertThat(failure.code()).isEqualTo("READONLY");
      assertThat(failure.kind()).isEqualTo(RedisCallException.Kind.NOT_EXECUTED);
      assertThat(shard.loop.get(shard.link::isUp)).isFalse();

      try (Operator raw = new Operator(TestRedis.address(redis))) {
        raw.call("REPLICAOF", "NO", "ONE");
      }
      shard.loop.until("the link is up", shard.link::isUp);
      assertThat(shard.everything(item)).isEqualTo(before);
    }
  }
}

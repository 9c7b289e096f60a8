package io.seckill.lua;

import static io.seckill.lua.TestShard.TIMEOUT_MS;
import static io.seckill.lua.TestShard.buy;

import io.seckill.common.id.ItemId;
import io.seckill.lua.DecidePurchases.Batch;
import io.seckill.lua.DecidePurchases.Limits;
import io.seckill.lua.DecidePurchases.Purchase;
import io.seckill.testkit.RedisAddress;
import io.seckill.testkit.TestRedis;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Run by hand: decisions a second of the batched script beside the articles' script, which decides
 * one purchase a call, pipelined on the same connection to the same server. Figures of one busy
 * machine; nothing is asserted.
 */
final class DecidePurchasesBench {

  private static final int BATCH = 128;
  private static final int ROUNDS = 2_000;
  private static final int CALLS_IN_FLIGHT = 2;

  /** As an engine is configured: with a window. */
  private static final Limits LIMITS = new Limits(100_000_000, 10, 1_000);

  /** Check, take, mark, queue: without receipts, window, limit above one, fence or log order. */
  private static final String PLAIN =
      """
      if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 2 end
      if tonumber(redis.call('GET', KEYS[1])) <= 0 then return 0 end
      redis.call('DECR', KEYS[1])
      redis.call('SADD', KEYS[2], ARGV[1])
      redis.call('XADD', KEYS[3], '*', 'user', ARGV[1], 'item', ARGV[2])
      return 1
      """;

  private DecidePurchasesBench() {}

  /** Measures the server at {@code -Dseckill.test.redis}, else the embedded one. */
  public static void main(String[] args) {
    RedisAddress address = TestRedis.shared();
    try (TestShard shard = TestShard.open(address)) {
      for (String round : List.of("warm-up", "measured")) {
        ItemId plenty = shard.sell(1, Integer.MAX_VALUE);
        ItemId dry = shard.sell(1, 0);
        System.out.println(round);
        measure(shard, "  batched wins", batches(shard, plenty, round));
        measure(shard, "  batched replays", batches(shard, plenty, round));
        measure(shard, "  batched refusals", batches(shard, dry, round));
        plain(shard, round, 1_000_000_000L, "  plain wins");
        plain(shard, round, 0, "  plain refusals");
      }
    }
    TestLoop.VERTX.close();
  }

  private static IntFunction<Future<?>> batches(TestShard shard, ItemId item, String round) {
    List<List<Purchase>> prepared =
        IntStream.range(0, ROUNDS)
            .mapToObj(
                i ->
                    IntStream.range(0, BATCH)
                        .mapToObj(j -> buy(round + (i * BATCH + j), "key" + j, item, 1))
                        .toList())
            .toList();
    return i ->
        DecidePurchases.run(
            shard.link,
            shard.fence(),
            shard.keys,
            new Batch(LIMITS, 0, ItemGroups.NONE, prepared.get(i)),
            TIMEOUT_MS);
  }

  private static void plain(TestShard shard, String round, long stock, String what) {
    String tag = "{bench}" + round + stock;
    shard.redis("SET", tag + "stock", Long.toString(stock));
    String sha1 = shard.text("SCRIPT", "LOAD", PLAIN);
    measure(
        shard,
        what,
        i -> {
          List<Future<?>> calls = new ArrayList<>(BATCH);
          for (int j = 0; j < BATCH; j++) {
            Request call = Request.cmd(Command.EVALSHA).arg(sha1).arg(3);
            call.arg(tag + "stock").arg(tag + "users").arg(tag + "log");
            calls.add(shard.link.send(call.arg("u" + (i * BATCH + j)).arg("1001"), TIMEOUT_MS));
          }
          return Future.all(calls);
        });
    shard.redis("DEL", tag + "stock", tag + "users", tag + "log");
  }

  private static void measure(TestShard shard, String what, IntFunction<Future<?>> call) {
    long startedAt = System.nanoTime();
    List<Future<Void>> chains =
        shard.loop.get(
            () ->
                IntStream.range(0, CALLS_IN_FLIGHT).mapToObj(first -> chain(first, call)).toList());
    shard.loop.await(() -> Future.all(chains));
    double seconds = (System.nanoTime() - startedAt) / 1e9;
    System.out.printf("%-20s %,12.0f a second%n", what, ROUNDS * BATCH / seconds);
  }

  private static Future<Void> chain(int i, IntFunction<Future<?>> call) {
    return i >= ROUNDS
        ? Future.succeededFuture()
        : call.apply(i).compose(done -> chain(i + CALLS_IN_FLIGHT, call));
  }
}

package io.seckill.launcher.bench;

import io.seckill.common.id.ItemId;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.lua.ReadHead;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.RemoveItem;
import io.seckill.lua.StepResult;
import io.seckill.lua.Topology;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;

/**
 * Removes an ended item from a shard by the script with which the engine does it, and looks at how
 * long another client of the server is kept waiting meanwhile.
 */
final class ItemRemoval {

  private static final long CONNECT_MS = 2_000;
  private static final long CALL_MS = 10_000;
  private static final Duration BOUND = Duration.ofSeconds(30);

  /** Also the time in which nothing is removed, for comparison. */
  private static final Duration FREED_BOUND = Duration.ofSeconds(30);

  private static final long QUIET_MS = 1_000;
  private static final long POLL_MS = 20;

  private ItemRemoval() {}

  /**
   * What was seen.
   *
   * @param receipts of the item
   * @param longestPauseMs until the server had freed all memory of it
   * @param longestPauseBeforeMs in a second before, in which nothing was removed
   * @param tookMs until the memory was free
   */
  record Result(long receipts, double longestPauseMs, double longestPauseBeforeMs, long tookMs) {}

  /** Removes an item of shard 0 of 1, which has no group. */
  static Result run(BenchSite site, ItemId item) {
    BenchRedis redis = site.redis();
    RedisKeys keys = RedisKeys.forShards(1)[0];
    long receipts = Long.parseLong(redis.call("HLEN", keys.receipts(item)));
    long generation = Long.parseLong(redis.call("HGET", keys.item(item), "gen"));
    // A collection of our own must not be taken for a pause of the server.
    System.gc();
    double before = pauseBefore(redis);
    try (PingWatch watch = new PingWatch(redis)) {
      long startNs = System.nanoTime();
      StepResult.Status status = remove(site, keys, item, generation + 1);
      if (status != StepResult.Status.OK) {
        throw new LaunchException("the item was not removed: " + status);
      }
      awaitFreed(redis, keys.receipts(item));
      long tookMs = (System.nanoTime() - startNs) / 1_000_000;
      return new Result(receipts, watch.worstMs(), before, tookMs);
    }
  }

  private static double pauseBefore(BenchRedis redis) {
    try (PingWatch watch = new PingWatch(redis)) {
      Waiting.pause(QUIET_MS);
      return watch.worstMs();
    }
  }

  private static StepResult.Status remove(
      BenchSite site, RedisKeys keys, ItemId item, long generation) {
    Context loop = EventLoops.of(site.vertx(), 1).get(0);
    RedisLink link =
        new RedisLink(
            site.vertx(),
            Topology.standalone(site.redis().endpoint()),
            0,
            new RedisLink.Options(CONNECT_MS, false));
    Future<StepResult> removed =
        EventLoops.on(
            loop,
            here -> {
              Promise<Void> up = Promise.promise();
              link.open(up::tryComplete);
              return up.future()
                  .compose(connected -> ReadHead.run(link, keys, CALL_MS))
                  .compose(
                      head ->
                          RemoveItem.run(
                              link,
                              link.fence(head.orElseThrow().epoch(), CALL_MS),
                              keys,
                              new RemoveItem.Args(item, generation, ""),
                              CALL_MS))
                  .eventually(link::close);
            });
    return Waiting.forResult(removed, BOUND, "the removal").status();
  }

  private static void awaitFreed(BenchRedis redis, String key) {
    long deadlineNs = System.nanoTime() + FREED_BOUND.toNanos();
    while (redis.call("EXISTS", key).equals("1")
        || redis.number("memory", "lazyfree_pending_objects").orElse(0) > 0) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new LaunchException("the memory of a removed item was not freed");
      }
      Waiting.pause(POLL_MS);
    }
  }
}

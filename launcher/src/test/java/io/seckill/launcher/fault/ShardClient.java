package io.seckill.launcher.fault;

import io.seckill.common.bus.TransferStore;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.lua.Fence;
import io.seckill.lua.ItemGroups;
import io.seckill.lua.ReadHead;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.ReleaseWin;
import io.seckill.lua.SendUnits;
import io.seckill.lua.SendUnits.Sent;
import io.seckill.lua.StepResult;
import io.seckill.lua.Topology;
import io.seckill.testkit.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

/** A client that calls a shard's scripts by itself, as an engine does. */
final class ShardClient implements AutoCloseable {

  /** Longer than a machine stands still. */
  static final long TIMEOUT_MS = 10_000;

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final Vertx vertx;
  private final int shard;
  private final RedisKeys keys;
  private final RedisLink link;

  /**
   * Connects.
   *
   * @param uri of the servers, in any form of {@code redis.uri}
   */
  ShardClient(Vertx vertx, String uri, int shards, int shard) throws Exception {
    this.vertx = vertx;
    this.shard = shard;
    SeckillConfig.Redis config =
        ConfigLoader.ofNothing()
            .withOverrides(Map.of("redis.uri", uri, "redis.shards", Integer.toString(shards)))
            .load()
            .config()
            .redis();
    keys = RedisKeys.forShards(shards)[shard];
    link =
        new RedisLink(
            vertx,
            Topology.of(config),
            shard,
            new RedisLink.Options(config.connectTimeoutMs(), false));
    Promise<Void> up = Promise.promise();
    vertx.runOnContext(turn -> link.open(up::tryComplete));
    Await.result(BOUND, "a connection to shard " + shard, up.future());
  }

  RedisKeys keys() {
    return keys;
  }

  /** Only for use within a call. */
  RedisLink link() {
    return link;
  }

  /** For use within a call. */
  Fence fence(long epoch) {
    return link.fence(epoch, TIMEOUT_MS);
  }

  /** Calls on the link's event loop and waits. */
  <T> T call(Callable<Future<T>> call) throws Exception {
    Promise<T> promise = Promise.promise();
    vertx.runOnContext(
        turn -> {
          try {
            call.call().onComplete(promise);
          } catch (Exception e) {
            promise.fail(e);
          }
        });
    return Await.result(BOUND, "a script", promise.future());
  }

  /** The shard's head; empty when it has none. */
  Optional<Head> head() throws Exception {
    return call(() -> ReadHead.run(link, keys, TIMEOUT_MS));
  }

  /** Gives a win back, as an order that was cancelled is. */
  StepResult release(UserId user, EntryId win, ItemId item) throws Exception {
    long epoch = head().orElseThrow().epoch();
    return call(
        () ->
            ReleaseWin.run(
                link,
                fence(epoch),
                keys,
                new ReleaseWin.Args(user, win, "user", List.of(item), ItemGroups.NONE),
                TIMEOUT_MS));
  }

  /**
   * Sends units to another shard.
   *
   * @return what the ledger has to be told
   */
  TransferStore send(int region, ItemId item, long units, int toShard) throws Exception {
    long epoch = head().orElseThrow().epoch();
    SendUnits.Result result =
        call(
            () ->
                SendUnits.run(
                    link,
                    fence(epoch),
                    keys,
                    new SendUnits.Args(item, units, toShard, OptionalLong.empty()),
                    TIMEOUT_MS));
    if (!(result instanceof Sent sent) || sent.units() != units) {
      throw new AssertionError("nothing was sent: " + result);
    }
    return new TransferStore(
        region, shard, sent.entry().epoch(), sent.entry().seq(), sent.atMs(), item, units, toShard);
  }

  @Override
  public void close() {
    vertx.runOnContext(turn -> link.close());
  }
}

package io.seckill.engine;

import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemState;
import io.seckill.lua.Fence;
import io.seckill.lua.FreezeShard;
import io.seckill.lua.FreezeShard.Frozen;
import io.seckill.lua.OpenShard;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.ReadItems;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a shard, after a loss or not: there is no other way ({@code design.md} §6). Claim the next
 * epoch in the ledger; freeze Redis under it; close the earlier epochs at Redis' own seq; when
 * Redis holds less than the ledger, write the shard anew; open. Two openers cannot both succeed:
 * the later claim fences the earlier one at every step. Belongs to one event loop.
 */
final class ShardOpener {

  private static final Logger LOG = LoggerFactory.getLogger(ShardOpener.class);

  private final Node node;
  private final ShardAccess access;
  private final LedgerClient ledger;
  private final ShardRebuilder rebuilder;
  private final EngineMetrics metrics;

  /**
   * Longer than an opening without repair takes, and short enough to heal within 30 s when its node
   * has died.
   */
  private static final long PATIENCE_MS = 10_000;

  private final Map<Integer, Attempt> attempts = new HashMap<>();

  /** The latest opening of a shard that this node knows of. */
  private record Attempt(long epoch, boolean mine, long sinceNanos) {}

  /**
   * Who opens.
   *
   * @param region the region's number
   * @param id the node's name, for operators
   */
  record Node(int region, String id) {}

  ShardOpener(
      Node node,
      ShardAccess access,
      LedgerClient ledger,
      ShardRebuilder rebuilder,
      EngineMetrics metrics) {
    this.node = node;
    this.access = access;
    this.ledger = ledger;
    this.rebuilder = rebuilder;
    this.metrics = metrics;
  }

  /**
   * One attempt; a repetition goes on where this one stopped.
   *
   * @return the epoch that is open now, or 0 when another node is at it; fails with the reason
   */
  Future<Long> open(int shard, RedisLink link, Optional<Head> head) {
    if (head.isPresent() && anotherIsAtIt(shard, head.get(), link)) {
      return Future.succeededFuture(0L);
    }
    return ledger
        .claim(new ShardClaim(node.region(), shard, head.map(Head::epoch).orElse(0L), node.id()))
        .compose(
            claimed -> {
              attempts.put(shard, new Attempt(claimed.epoch(), true, System.nanoTime()));
              return openUnder(claimed.epoch(), shard, link);
            });
  }

  /**
   * Openers that claim over each other would never end: an opening of another node gets time before
   * it counts as dead.
   */
  private boolean anotherIsAtIt(int shard, Head head, RedisLink link) {
    if (head.state() != HeadState.REPAIRING || !head.runId().equals(link.runId())) {
      return false;
    }
    Attempt last = attempts.get(shard);
    long now = System.nanoTime();
    if (last == null || last.epoch != head.epoch()) {
      attempts.put(shard, new Attempt(head.epoch(), false, now));
      return true;
    }
    return !last.mine && now - last.sinceNanos < PATIENCE_MS * 1_000_000;
  }

  private Future<Long> openUnder(long epoch, int shard, RedisLink link) {
    RedisKeys keys = access.keys(shard);
    LOG.info("opening shard {} under epoch {}", shard, epoch);
    return freeze(epoch, link, keys)
        .compose(
            frozen ->
                ledger
                    .close(
                        new EpochClose(
                            node.region(), shard, epoch, frozen.lastEpoch(), frozen.lastSeq()))
                    .compose(closed -> isWhole(frozen, closed, link, keys))
                    .compose(
                        whole ->
                            whole
                                ? Future.<Void>succeededFuture()
                                : rebuilder.rebuild(shard, epoch, frozen, link)))
        .compose(done -> OpenShard.run(link, fence(link, epoch), keys, access.callTimeoutMs()))
        .compose(
            opened ->
                opened.isDone()
                    ? ledger.open(new ShardOpen(node.region(), shard, epoch))
                    : failed("open_shard said " + opened.status()))
        .map(
            done -> {
              metrics.shardOpened();
              return epoch;
            });
  }

  private Future<Frozen> freeze(long epoch, RedisLink link, RedisKeys keys) {
    return FreezeShard.run(
            link, fence(link, epoch), keys, access.shardCount(), access.callTimeoutMs())
        .compose(
            result -> {
              if (result instanceof Frozen frozen) {
                return Future.succeededFuture(frozen);
              }
              return failed("freeze_shard said " + result);
            });
  }

  /**
   * Whether Redis still holds all that the ledger has stored. Entries that neither has are gone for
   * good and end as FAILED(LOST), which closing the epoch has just settled.
   */
  private Future<Boolean> isWhole(
      Frozen frozen, EpochClosed closed, RedisLink link, RedisKeys keys) {
    boolean forgot = closed.storedBeyond() > 0 || (!frozen.headFound() && closed.storedInAll() > 0);
    if (forgot || frozen.damaged()) {
      return Future.succeededFuture(false);
    }
    return ReadItems.known(link, keys, access.callTimeoutMs())
        .compose(items -> hasAllKeys(items, link, keys));
  }

  private Future<Boolean> hasAllKeys(List<ItemId> items, RedisLink link, RedisKeys keys) {
    return ReadItems.run(link, keys, items, access.callTimeoutMs())
        .map(reading -> reading.orElseThrow().items().stream().allMatch(ShardOpener::hasItsKeys));
  }

  private static boolean hasItsKeys(Optional<ReadItems.ShardItem> item) {
    return item.isPresent()
        && (item.get().stock().isPresent() || item.get().version().state() == ItemState.PREPARED);
  }

  private Fence fence(RedisLink link, long epoch) {
    return link.fence(epoch, access.callTimeoutMs());
  }

  private static <T> Future<T> failed(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.UNAVAILABLE, detail));
  }
}

package io.seckill.engine;

import io.seckill.common.bus.EpochClose;
import io.seckill.common.bus.EpochClosed;
import io.seckill.common.bus.RegionJoin;
import io.seckill.common.bus.ShardClaim;
import io.seckill.common.bus.ShardClaimed;
import io.seckill.common.bus.ShardOpen;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemRecord;
import io.seckill.common.item.ItemState;
import io.seckill.lua.Fence;
import io.seckill.lua.FreezeShard;
import io.seckill.lua.FreezeShard.Frozen;
import io.seckill.lua.OpenShard;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.ReadItems;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a shard, after a loss or not: there is no other way (docs/architecture.md). Claim the next
 * epoch in the ledger; freeze Redis under it; close the earlier epochs at Redis' own seq; when
 * Redis holds less than the ledger, write the shard anew; open. Two openers cannot both succeed:
 * the later claim fences the earlier one at every step. Belongs to one event loop.
 */
final class ShardOpener {

  private static final Logger LOG = LoggerFactory.getLogger(ShardOpener.class);

  private final Vertx vertx;
  private final Node node;
  private final ShardAccess access;
  private final LedgerClient ledger;
  private final ShardRebuilder rebuilder;
  private final EngineMetrics metrics;

  /**
   * Several steps of an opening, each bounded by a call's time-out; short enough to heal within 30
   * s when its node has died.
   */
  private static final long PATIENCE_MS = 10_000;

  /**
   * With the server emptied, what consumers still hold is all that is left of the log: they get
   * this long to store it.
   */
  private static final long CONSUMER_GRACE_MS = 3_000;

  private final Map<Integer, Attempt> attempts = new HashMap<>();

  private final Map<Integer, Long> contradicted = new HashMap<>();
  private final Map<Integer, Long> disownedEpochs = new HashMap<>();

  /** The latest opening of a shard that this node knows of. */
  private record Attempt(long epoch, long progress, boolean mine, long sinceNanos) {}

  /**
   * Who opens.
   *
   * @param region the region's number
   * @param id the node's name, for operators
   */
  record Node(int region, String id) {}

  ShardOpener(
      Vertx vertx,
      Node node,
      ShardAccess access,
      LedgerClient ledger,
      ShardRebuilder rebuilder,
      EngineMetrics metrics) {
    this.vertx = vertx;
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
    // The ledger may have been away when this node started: nothing is opened before it agrees with
    // S.
    return ledger
        .join(new RegionJoin(node.region(), access.shardCount()))
        .compose(
            agreed ->
                ledger.claim(
                    new ShardClaim(
                        node.region(), shard, head.map(Head::epoch).orElse(0L), node.id())))
        .compose(
            claimed -> {
              attempts.put(shard, new Attempt(claimed.epoch(), 0, true, System.nanoTime()));
              return openUnder(claimed, shard, link);
            });
  }

  /**
   * Tells the ledger that a shard which this node found open is open, in case its opener died
   * before saying so, and hears whether the ledger agrees. Where it has closed that epoch, as when
   * an old server came back that is open for itself, nothing sold there would count: told so twice,
   * the node disowns the epoch. Told so once, another opener may just be at it.
   *
   * @param disowned runs when the shard has to be opened anew
   */
  void confirm(int shard, long epoch, Runnable disowned) {
    ledger
        .open(new ShardOpen(node.region(), shard, epoch))
        .onSuccess(done -> contradicted.remove(shard))
        .onFailure(
            failure -> {
              LOG.debug("shard {} is open, the ledger says: {}", shard, failure.getMessage());
              boolean closed =
                  failure instanceof SeckillException e && e.code() == ErrorCode.CONFLICT;
              if (closed && Objects.equals(contradicted.put(shard, epoch), epoch)) {
                LOG.warn("epoch {} of shard {} is closed: opening the shard anew", epoch, shard);
                disownedEpochs.put(shard, epoch);
                disowned.run();
              }
            });
  }

  /**
   * Whether the shard must not be used under that epoch, although its head says that it is open.
   */
  boolean isDisowned(int shard, long epoch) {
    return Objects.equals(disownedEpochs.get(shard), epoch);
  }

  /**
   * Openers that claim over each other would never end: an opening of another node goes on while
   * its progress moves.
   */
  private boolean anotherIsAtIt(int shard, Head head, RedisLink link) {
    if (head.state() != HeadState.REPAIRING || !head.runId().equals(link.runId())) {
      return false;
    }
    Attempt last = attempts.get(shard);
    long now = System.nanoTime();
    if (last != null && last.epoch == head.epoch() && last.mine) {
      return false;
    }
    if (last == null || last.epoch != head.epoch() || last.progress != head.progress()) {
      attempts.put(shard, new Attempt(head.epoch(), head.progress(), false, now));
      return true;
    }
    return now - last.sinceNanos < PATIENCE_MS * 1_000_000;
  }

  private Future<Long> openUnder(ShardClaimed claimed, int shard, RedisLink link) {
    long epoch = claimed.epoch();
    RedisKeys keys = access.keys(shard);
    LOG.info("opening shard {} under epoch {}", shard, epoch);
    return freeze(epoch, link, keys)
        .compose(frozen -> letConsumersFinish(claimed, frozen))
        .compose(
            frozen ->
                ledger
                    .close(
                        new EpochClose(
                            node.region(), shard, epoch, frozen.lastEpoch(), frozen.lastSeq()))
                    .compose(
                        closed ->
                            isWhole(frozen, closed, link, keys)
                                .compose(
                                    whole ->
                                        whole
                                            ? Future.<Void>succeededFuture()
                                            : rebuilder.rebuild(shard, epoch, frozen, link))
                                .map(done -> closed.sales())))
        .compose(
            sales -> OpenShard.run(link, fence(link, epoch), keys, sales, access.callTimeoutMs()))
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

  private Future<Frozen> letConsumersFinish(ShardClaimed claimed, Frozen frozen) {
    boolean logIsGone = !frozen.headFound() && claimed.ledgerEpoch() > 0;
    return logIsGone ? vertx.timer(CONSUMER_GRACE_MS).map(frozen) : Future.succeededFuture(frozen);
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
   * Whether Redis still holds all that the ledger has stored, and sells nothing that the ledger has
   * changed since: an end, a pause or a limit of which the shard does not know may have been lost
   * with its entry. Entries that neither has are gone for good and end as FAILED(LOST), which
   * closing the epoch has just settled.
   */
  private Future<Boolean> isWhole(
      Frozen frozen, EpochClosed closed, RedisLink link, RedisKeys keys) {
    boolean forgot = closed.forgot() || (!frozen.headFound() && closed.everStored());
    if (forgot || closed.surplus() || frozen.damaged()) {
      return Future.succeededFuture(false);
    }
    return Future.all(ReadItems.known(link, keys, access.callTimeoutMs()), ledger.items())
        .compose(
            both -> {
              Promise<Boolean> whole = Promise.promise();
              new WholeCheck(both.resultAt(0), both.resultAt(1), link, keys, whole).page(0);
              return whole.future();
            })
        // A spoilt set of items is as good as none.
        .recover(
            failure ->
                failure instanceof RedisCallException e && e.code().equals("WRONGTYPE")
                    ? Future.succeededFuture(false)
                    : Future.failedFuture(failure));
  }

  /** Looks at all items of a shard, page by page, so that no call is long. */
  private final class WholeCheck {

    private final List<ItemId> items;
    private final Map<ItemId, Long> generations = new HashMap<>();
    private final RedisLink link;
    private final RedisKeys keys;
    private final Promise<Boolean> whole;

    WholeCheck(
        List<ItemId> items,
        List<ItemRecord> records,
        RedisLink link,
        RedisKeys keys,
        Promise<Boolean> whole) {
      this.items = items;
      records.forEach(record -> generations.put(record.definition().id(), record.generation()));
      this.link = link;
      this.keys = keys;
      this.whole = whole;
    }

    void page(int from) {
      if (from >= items.size()) {
        whole.complete(true);
        return;
      }
      int to = Math.min(items.size(), from + ReadItems.MAX_ITEMS);
      ReadItems.run(link, keys, items.subList(from, to), access.callTimeoutMs())
          .onSuccess(
              reading -> {
                if (reading.isPresent() && reading.get().items().stream().allMatch(this::isWhole)) {
                  page(to);
                } else {
                  whole.complete(false);
                }
              })
          .onFailure(whole::fail);
    }

    private boolean isWhole(Optional<ReadItems.ShardItem> item) {
      return hasItsKeys(item) && !sellsAsNoLongerAllowed(item.orElseThrow());
    }

    private boolean sellsAsNoLongerAllowed(ReadItems.ShardItem item) {
      long known = item.version().generation();
      return item.version().state() == ItemState.OPEN
          && known < generations.getOrDefault(item.definition().id(), known);
    }
  }

  private static boolean hasItsKeys(Optional<ReadItems.ShardItem> item) {
    return item.isPresent()
        && (item.get().stock().isPresent() || item.get().version().state() == ItemState.PREPARED)
        && item.get().waiters() > 0 == item.get().oldest().isPresent();
  }

  private Fence fence(RedisLink link, long epoch) {
    return link.fence(epoch, access.callTimeoutMs());
  }

  private static <T> Future<T> failed(String detail) {
    return Future.failedFuture(new SeckillException(ErrorCode.UNAVAILABLE, detail));
  }
}

package io.seckill.engine;

import io.seckill.common.bus.ShardHoldingsQuery;
import io.seckill.common.bus.ShardReceiptsQuery;
import io.seckill.common.bus.ShardSnapshot;
import io.seckill.common.bus.ShardSnapshot.ItemInShard;
import io.seckill.common.bus.ShardSnapshotQuery;
import io.seckill.common.bus.ShardWaiters;
import io.seckill.common.bus.ShardWaitersQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemState;
import io.seckill.lua.ForgetItem;
import io.seckill.lua.FreezeShard.Frozen;
import io.seckill.lua.PutItem;
import io.seckill.lua.ReadItems;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.RenewRepair;
import io.seckill.lua.RestoreHoldings;
import io.seckill.lua.RestoreItem;
import io.seckill.lua.RestoreReceipts;
import io.seckill.lua.RestoreWaiters;
import io.seckill.lua.StepResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a frozen shard anew from what the ledger has stored. Before that it waits until the
 * consumer has stored whatever Redis still holds up to the point at which the epoch was closed, so
 * that nothing which Redis knows is forgotten. Every write carries the claimed epoch and can be
 * repeated.
 */
final class ShardRebuilder {

  private static final Logger LOG = LoggerFactory.getLogger(ShardRebuilder.class);

  private static final long POLL_MS = 500;

  /**
   * A backlog of 100,000 wins takes about 10 s to store; beyond this the whole opening starts
   * again.
   */
  private static final int MAX_POLLS = 120;

  /**
   * Other nodes take an opening over that makes no progress for {@code ShardOpener.PATIENCE_MS}.
   */
  private static final long RENEW_MS = 2_500;

  /** Waiters that the ledger is asked for at a time. */
  private static final int WAITERS_PAGE = 5_000;

  private final Vertx vertx;
  private final int region;
  private final ShardAccess access;
  private final LedgerClient ledger;

  ShardRebuilder(Vertx vertx, int region, ShardAccess access, LedgerClient ledger) {
    this.vertx = vertx;
    this.region = region;
    this.access = access;
    this.ledger = ledger;
  }

  Future<Void> rebuild(int shard, long epoch, Frozen frozen, RedisLink link) {
    LOG.warn("shard {} has lost data: writing it anew under epoch {}", shard, epoch);
    ShardSnapshotQuery query = new ShardSnapshotQuery(region, shard, frozen.lastEpoch());
    Promise<ShardSnapshot> complete = Promise.promise();
    awaitStored(query, new Waiting(shard, epoch, link), MAX_POLLS, complete);
    return complete
        .future()
        .compose(
            snapshot -> {
              Promise<Void> written = Promise.promise();
              Writer writer = new Writer(shard, epoch, link, written);
              writer.forgetOthers(snapshot.items());
              return written.future();
            });
  }

  /** Who waits for the consumer. */
  private record Waiting(int shard, long epoch, RedisLink link) {}

  private void awaitStored(
      ShardSnapshotQuery query, Waiting waiting, int pollsLeft, Promise<ShardSnapshot> complete) {
    snapshot(query, waiting)
        .onSuccess(
            snapshot -> {
              if (snapshot.missing() == 0) {
                complete.complete(snapshot);
              } else if (pollsLeft == 0) {
                complete.fail(
                    unavailable(
                        snapshot.missing() + " entries of closed epochs are not stored yet"));
              } else {
                LOG.info(
                    "shard {} waits for {} entries to be stored",
                    waiting.shard,
                    snapshot.missing());
                renew(waiting)
                    .onFailure(complete::fail)
                    .onSuccess(
                        renewed ->
                            vertx.setTimer(
                                POLL_MS,
                                id -> awaitStored(query, waiting, pollsLeft - 1, complete)));
              }
            })
        .onFailure(complete::fail);
  }

  /** Reading a great shard takes a while, in which the opening must not seem to be given up. */
  private Future<ShardSnapshot> snapshot(ShardSnapshotQuery query, Waiting waiting) {
    Promise<ShardSnapshot> answer = Promise.promise();
    long renewing = vertx.setPeriodic(RENEW_MS, id -> renew(waiting).onFailure(answer::tryFail));
    ledger.snapshot(query).onSuccess(answer::tryComplete).onFailure(answer::tryFail);
    return answer.future().onComplete(done -> vertx.cancelTimer(renewing));
  }

  private Future<Void> renew(Waiting waiting) {
    return RenewRepair.run(
            waiting.link,
            waiting.link.fence(waiting.epoch, access.callTimeoutMs()),
            access.keys(waiting.shard),
            access.callTimeoutMs())
        .compose(
            result ->
                result.isDone()
                    ? Future.<Void>succeededFuture()
                    : Future.failedFuture(refused(result)));
  }

  private static SeckillException refused(StepResult result) {
    return unavailable("the repair was refused as " + result.status());
  }

  private static SeckillException unavailable(String detail) {
    return new SeckillException(ErrorCode.UNAVAILABLE, detail);
  }

  /**
   * Writes item by item and page by page; each step starts the next from its reply, so nothing
   * piles up.
   */
  private final class Writer {

    private final int shard;
    private final long epoch;
    private final RedisLink link;
    private final RedisKeys keys;
    private final Promise<Void> written;
    private final Set<ItemId> kept = new HashSet<>();

    /** Items whose lines are written, as far as they go. */
    private final Set<ItemId> lines = new HashSet<>();

    Writer(int shard, long epoch, RedisLink link, Promise<Void> written) {
      this.shard = shard;
      this.epoch = epoch;
      this.link = link;
      this.keys = access.keys(shard);
      this.written = written;
    }

    /** What the ledger has never seen here did not happen: its moves will come again. */
    void forgetOthers(List<ItemInShard> items) {
      items.forEach(item -> kept.add(item.definition().id()));
      ReadItems.known(link, keys, access.callTimeoutMs())
          // A set that cannot be read names nobody; what the ledger knows is written whole anyway.
          .recover(
              failure ->
                  failure instanceof RedisCallException e && e.code().equals("WRONGTYPE")
                      ? Future.succeededFuture(List.of())
                      : Future.failedFuture(failure))
          .compose(
              known ->
                  Future.all(
                      known.stream()
                          .filter(item -> !kept.contains(item))
                          .map(this::forget)
                          .toList()))
          .onSuccess(done -> nextItem(items.iterator()))
          .onFailure(written::fail);
    }

    private Future<Void> forget(ItemId item) {
      return ForgetItem.run(
              link, link.fence(epoch, access.callTimeoutMs()), keys, item, access.callTimeoutMs())
          .compose(
              result ->
                  result.isDone()
                      ? Future.<Void>succeededFuture()
                      : Future.failedFuture(refused(result)));
    }

    private void nextItem(Iterator<ItemInShard> items) {
      if (!items.hasNext()) {
        nextWaiters(null);
        return;
      }
      ItemInShard item = items.next();
      RestoreItem.run(
              link,
              link.fence(epoch, access.callTimeoutMs()),
              keys,
              item.definition(),
              version(item),
              new RestoreItem.Counters(
                  item.lastMove(),
                  item.adds(),
                  item.sent(),
                  item.received(),
                  item.granted(),
                  item.stock()),
              access.callTimeoutMs())
          .onSuccess(
              result -> {
                if (isDone(result)) {
                  nextPage(item, "", items);
                }
              })
          .onFailure(written::fail);
    }

    /** An archived item comes back as it was before, so that its removal leaves its log entry. */
    private static PutItem.ItemVersion version(ItemInShard item) {
      return item.state() == ItemState.ARCHIVED
          ? new PutItem.ItemVersion(item.generation() - 1, ItemState.ENDED)
          : new PutItem.ItemVersion(item.generation(), item.state());
    }

    private void nextPage(ItemInShard item, String afterUser, Iterator<ItemInShard> items) {
      ledger
          .receipts(
              new ShardReceiptsQuery(
                  region, shard, item.definition().id(), afterUser, RestoreReceipts.MAX_USERS))
          .onSuccess(
              page -> {
                if (page.receipts().isEmpty()) {
                  nextItem(items);
                  return;
                }
                RestoreReceipts.run(
                        link,
                        link.fence(epoch, access.callTimeoutMs()),
                        keys,
                        item.definition().id(),
                        page.receipts(),
                        access.callTimeoutMs())
                    .onSuccess(
                        result -> {
                          if (isDone(result)) {
                            nextPage(item, page.receipts().lastKey(), items);
                          }
                        })
                    .onFailure(written::fail);
              })
          .onFailure(written::fail);
    }

    /** Who waits in line, in the order in which they joined. */
    private void nextWaiters(EntryId after) {
      ledger
          .waiters(new ShardWaitersQuery(region, shard, after, WAITERS_PAGE))
          .onSuccess(
              page -> {
                Future<Void> steps = Future.succeededFuture();
                for (RestoreWaiters.Page part : partsOf(page.waiters())) {
                  steps = steps.compose(done -> restore(part));
                }
                steps
                    .onSuccess(
                        done -> {
                          if (page.more()) {
                            nextWaiters(page.waiters().get(page.waiters().size() - 1).joined());
                          } else {
                            holdings();
                          }
                        })
                    .onFailure(written::fail);
              })
          .onFailure(written::fail);
    }

    /** Item by item, each in its order; nobody waits for what is not here any more. */
    private List<RestoreWaiters.Page> partsOf(List<ShardWaiters.Waiter> waiters) {
      Map<ItemId, List<RestoreWaiters.Waiter>> byItem = new LinkedHashMap<>();
      for (ShardWaiters.Waiter waiter : waiters) {
        if (kept.contains(waiter.item())) {
          byItem
              .computeIfAbsent(waiter.item(), item -> new ArrayList<>())
              .add(new RestoreWaiters.Waiter(waiter.user(), waiter.atMs()));
        }
      }
      List<RestoreWaiters.Page> parts = new ArrayList<>();
      byItem.forEach(
          (item, line) -> {
            for (int from = 0; from < line.size(); from += RestoreWaiters.MAX_USERS) {
              int to = Math.min(line.size(), from + RestoreWaiters.MAX_USERS);
              parts.add(new RestoreWaiters.Page(item, lines.add(item), line.subList(from, to)));
            }
          });
      return parts;
    }

    private Future<Void> restore(RestoreWaiters.Page part) {
      return RestoreWaiters.run(
              link, link.fence(epoch, access.callTimeoutMs()), keys, part, access.callTimeoutMs())
          .compose(
              result ->
                  result.isDone()
                      ? Future.<Void>succeededFuture()
                      : Future.failedFuture(refused(result)));
    }

    /** Every group that the ledger knows: the shard may hold something of one that is not left. */
    private void holdings() {
      ledger
          .items()
          .onSuccess(
              records ->
                  nextGroup(
                      records.stream()
                          .map(record -> record.definition().group())
                          .filter(Objects::nonNull)
                          .map(ItemGroup::id)
                          .distinct()
                          .iterator()))
          .onFailure(written::fail);
    }

    private void nextGroup(Iterator<String> groups) {
      if (groups.hasNext()) {
        nextHoldings(groups.next(), "", groups);
      } else {
        written.complete();
      }
    }

    private void nextHoldings(String group, String afterUser, Iterator<String> groups) {
      ledger
          .holdings(
              new ShardHoldingsQuery(region, shard, group, afterUser, RestoreHoldings.MAX_USERS))
          .onSuccess(
              page -> {
                boolean isFirst = afterUser.isEmpty();
                if (page.units().isEmpty() && !isFirst) {
                  nextGroup(groups);
                  return;
                }
                RestoreHoldings.run(
                        link,
                        link.fence(epoch, access.callTimeoutMs()),
                        keys,
                        new RestoreHoldings.Page(group, isFirst, page.units()),
                        access.callTimeoutMs())
                    .onSuccess(
                        result -> {
                          if (!isDone(result)) {
                            return;
                          }
                          if (page.units().isEmpty()) {
                            nextGroup(groups);
                          } else {
                            nextHoldings(group, page.units().lastKey(), groups);
                          }
                        })
                    .onFailure(written::fail);
              })
          .onFailure(written::fail);
    }

    private boolean isDone(StepResult result) {
      if (!result.isDone()) {
        written.fail(refused(result));
      }
      return result.isDone();
    }
  }
}

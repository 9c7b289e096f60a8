package io.seckill.engine;

import io.seckill.common.bus.Releases.Release;
import io.seckill.common.bus.ReleasesQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.lua.ItemGroups;
import io.seckill.lua.ReadItems;
import io.seckill.lua.RedisLink;
import io.seckill.lua.ReleaseWin;
import io.seckill.lua.StepResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what the ledger says is to be released: asks it about each open shard again and again,
 * and at once when it is told that something waits. The script makes a release once, however many
 * engines ask for it however often; a request is over when the consumer has stored the release's
 * entry, and is found again until then. So a crash at any point leaves nothing undone.
 *
 * <p>Belongs to one event loop.
 */
final class Releaser {

  private static final Logger LOG = LoggerFactory.getLogger(Releaser.class);

  /** Requests of one answer of the ledger. */
  private static final int PAGE = 250;

  /** Script calls of a shard at a time: enough to keep a round trip filled. */
  private static final int IN_FLIGHT = 16;

  /**
   * Releases of a shard that this node has made and that are not stored. A log is stored in its
   * order, so orders that come behind more of them would be stored late.
   */
  private static final int MAX_UNSTORED = 1_000;

  /**
   * For so long a release that was made is not asked for again, nor one that cannot be made. Then
   * something is wrong with storing, and more are made in spite of {@link #MAX_UNSTORED}.
   */
  private static final long REMEMBER_MS = 5_000;

  /**
   * Requests of a shard that are remembered besides those that this node has released; a further
   * one costs a call.
   */
  private static final int MAX_REMEMBERED = 5_000;

  /** More failures of one sweep are not those of single calls: then it is the server. */
  private static final int MAX_FAILED = 50;

  /**
   * Pauses of this length at least, half or one and a half times as long: what is told one by one
   * is released together, and of several engines that are told at once one comes first.
   */
  private static final long PAUSE_MS = 20;

  /**
   * While more waits than may be released, asking the ledger takes this part of the time: half.
   * With a fifth, 100,000 orders that are due at once took longer than a minute, and the sale
   * beside was not quicker for it ({@code bench releases}).
   */
  private static final long PART_OF_TIME = 2;

  /** What cannot be released is told to operators this often at most. */
  private static final long LOG_EVERY_MS = 60_000;

  private final Vertx vertx;
  private final Source source;
  private final ItemGroups groups;
  private final Look look;
  private final EngineMetrics metrics;
  private final List<Shard> shards;

  private boolean stopped;
  private long missingLoggedAtNanos = System.nanoTime() - LOG_EVERY_MS * 1_000_000;
  private long failureLoggedAtNanos = missingLoggedAtNanos;

  /** What came of one try to release a win. */
  enum Result {
    /** Units and quota went back. */
    RELEASED,
    /** They had gone back before; the entry is not stored yet. */
    ALREADY,
    /** The shard knows no such win: its item was taken out, or what it knew is lost. */
    NOT_FOUND,
    /** This node does not know the item's group, even after another look. */
    GROUP,
    /** Nobody knows, or the shard is being opened: tried again. */
    FAILED
  }

  /**
   * Where requests come from.
   *
   * @param region this node's
   * @param intervalMs how often each shard is asked about when nothing is told
   * @param ledger who knows them
   */
  record Source(int region, long intervalMs, LedgerClient ledger) {}

  /** Looks at some items in all shards, so that their groups are known afterwards. */
  @FunctionalInterface
  interface Look {

    /** As {@link BoardKeeper#look}. */
    Future<Void> at(Supplier<Collection<ItemId>> which);
  }

  Releaser(
      Vertx vertx,
      Source source,
      List<ShardSession> sessions,
      ItemGroups groups,
      Look look,
      EngineMetrics metrics) {
    this.vertx = vertx;
    this.source = source;
    this.groups = groups;
    this.look = look;
    this.metrics = metrics;
    this.shards = sessions.stream().map(Shard::new).toList();
  }

  void start() {
    shards.forEach(shard -> shard.sweepAfter(source.intervalMs));
  }

  void stop() {
    stopped = true;
    shards.forEach(Shard::cancel);
  }

  /** To be called when the ledger tells that a shard has something to be released. */
  void told(int region, int shard) {
    if (region == source.region && shard >= 0 && shard < shards.size()) {
      shards.get(shard).told();
    }
  }

  private void logMissing(int shard, Release request) {
    long now = System.nanoTime();
    if (now - missingLoggedAtNanos >= LOG_EVERY_MS * 1_000_000) {
      missingLoggedAtNanos = now;
      LOG.warn(
          "shard {} does not know the win {}, which is to be released ({}); it is asked again",
          shard,
          request.win(),
          request.reason());
    }
  }

  private void logFailure(Release request, Throwable failure) {
    long now = System.nanoTime();
    if (now - failureLoggedAtNanos >= LOG_EVERY_MS * 1_000_000) {
      failureLoggedAtNanos = now;
      LOG.warn(
          "the win {}, which is to be released ({}), cannot be; it is tried again: {}",
          request.win(),
          request.reason(),
          failure.getMessage());
    }
  }

  /** The requests of one shard. */
  private final class Shard {

    private final ShardSession session;

    /** Requests that this node has released, and when: they wait for nothing but storing. */
    private final TreeMap<Long, Long> unstored = new TreeMap<>();

    /** Others that were tried, and when. */
    private final TreeMap<Long, Long> tried = new TreeMap<>();

    private int failedInSweep;
    private long triedUnderEpoch;
    private long timer = -1;
    private boolean sweeping;
    private boolean soon;

    Shard(ShardSession session) {
      this.session = session;
    }

    void told() {
      if (!soon) {
        soon = true;
        if (!sweeping && vertx.cancelTimer(timer)) {
          sweepAfter(PAUSE_MS);
        }
      }
    }

    void cancel() {
      vertx.cancelTimer(timer);
    }

    /** With some chance in it, so that several engines do not ask at once for ever. */
    void sweepAfter(long pauseMs) {
      long afterMs = pauseMs / 2 + ThreadLocalRandom.current().nextLong(1 + pauseMs);
      timer = vertx.setTimer(Math.max(1, afterMs), id -> sweep());
    }

    /** Goes through all requests, from the oldest. */
    private void sweep() {
      soon = false;
      if (!session.isOpen()) {
        sweepAfter(source.intervalMs);
        return;
      }
      sweeping = true;
      failedInSweep = 0;
      long beganNanos = System.nanoTime();
      forgetOld(beganNanos);
      // Whatever goes wrong in one sweep, the next one comes.
      Future.succeededFuture(0L)
          .compose(this::page)
          .onFailure(
              failure ->
                  LOG.debug(
                      "releases of shard {} are tried again: {}",
                      session.shard(),
                      failure.getMessage()))
          .onComplete(
              swept -> {
                sweeping = false;
                if (!stopped) {
                  boolean more = swept.succeeded() && swept.result();
                  sweepAfter(pauseMs(more, System.nanoTime() - beganNanos));
                }
              });
    }

    private long pauseMs(boolean more, long tookNanos) {
      long shortest = Math.min(PAUSE_MS, source.intervalMs);
      if (more) {
        long restMs = (PART_OF_TIME - 1) * tookNanos / 1_000_000;
        return Math.max(shortest, Math.min(restMs, source.intervalMs));
      }
      return soon ? shortest : source.intervalMs;
    }

    /** What an earlier epoch has released, the present one may not know. */
    private void forgetOld(long nowNanos) {
      if (triedUnderEpoch != session.epoch()) {
        triedUnderEpoch = session.epoch();
        unstored.clear();
        tried.clear();
      }
      unstored.values().removeIf(at -> nowNanos - at > REMEMBER_MS * 1_000_000);
      tried.values().removeIf(at -> nowNanos - at > REMEMBER_MS * 1_000_000);
    }

    /** Tells whether more is to be released than may be before some of it is stored. */
    private Future<Boolean> page(long afterId) {
      return source
          .ledger
          .releases(new ReleasesQuery(source.region, session.shard(), afterId, PAGE))
          .compose(
              page -> {
                List<Release> requests = page.releases();
                boolean isEnd = requests.isEmpty();
                long lastId = isEnd ? Long.MAX_VALUE : requests.get(requests.size() - 1).id();
                forgetStored(afterId, lastId, requests);
                return release(
                        requests.stream().filter(request -> !isRemembered(request.id())).toList())
                    .compose(done -> isEnd ? Future.succeededFuture(false) : next(lastId));
              });
    }

    private boolean isRemembered(long id) {
      return unstored.containsKey(id) || tried.containsKey(id);
    }

    private Future<Boolean> next(long afterId) {
      boolean mayGoOn = !stopped && unstored.size() < MAX_UNSTORED;
      return mayGoOn ? page(afterId) : Future.succeededFuture(true);
    }

    /** Of the ids that a page covers, those that it does not have any more are stored. */
    private void forgetStored(long afterId, long lastId, List<Release> requests) {
      Set<Long> open = new HashSet<>();
      requests.forEach(request -> open.add(request.id()));
      unstored.subMap(afterId, false, lastId, true).keySet().retainAll(open);
      tried.subMap(afterId, false, lastId, true).keySet().retainAll(open);
    }

    /** Some at a time. Once more those of items whose group was not known. */
    private Future<Void> release(List<Release> requests) {
      List<Release> ofUnknownGroup = new ArrayList<>();
      return inLanes(requests, ofUnknownGroup)
          .compose(
              done -> {
                if (ofUnknownGroup.isEmpty()) {
                  return Future.succeededFuture();
                }
                List<Release> ofUnknownGroupStill = new ArrayList<>();
                return look.at(() -> someItems(ofUnknownGroup))
                    .compose(looked -> inLanes(ofUnknownGroup, ofUnknownGroupStill))
                    .onSuccess(
                        again -> ofUnknownGroupStill.forEach(one -> tried(one, Result.GROUP)));
              });
    }

    private static List<ItemId> someItems(List<Release> requests) {
      return requests.stream()
          .flatMap(request -> request.items().stream())
          .distinct()
          .limit(ReadItems.MAX_ITEMS)
          .toList();
    }

    /** Fails when the shard cannot be asked; then no further ones are tried. */
    private Future<Void> inLanes(List<Release> requests, List<Release> ofUnknownGroup) {
      Deque<Release> left = new ArrayDeque<>(requests);
      List<Future<Void>> lanes = new ArrayList<>(IN_FLIGHT);
      for (int i = 0; i < IN_FLIGHT; i++) {
        lanes.add(lane(left, ofUnknownGroup));
      }
      return Future.join(lanes).mapEmpty();
    }

    private Future<Void> lane(Deque<Release> left, List<Release> ofUnknownGroup) {
      Release request = stopped ? null : left.poll();
      if (request == null) {
        return Future.succeededFuture();
      }
      return ShardSteps.call(session, (link, epoch) -> releaseWin(link, epoch, request))
          .onSuccess(result -> metrics.served(result.promoted(), result.left()))
          .compose(result -> count(request, result.status(), ofUnknownGroup))
          .recover(failure -> failed(request, failure, left))
          .compose(done -> lane(left, ofUnknownGroup));
    }

    /** What only this one call cannot do must not hold up the others. */
    private Future<Void> failed(Release request, Throwable failure, Deque<Release> left) {
      failedInSweep++;
      if (session.isOpen() && failedInSweep <= MAX_FAILED) {
        logFailure(request, failure);
        tried(request, Result.FAILED);
        return Future.succeededFuture();
      }
      metrics.released(Result.FAILED);
      left.clear();
      return Future.failedFuture(failure);
    }

    private Future<Void> count(
        Release request, StepResult.Status status, List<Release> ofUnknownGroup) {
      switch (status) {
        case OK -> tried(request, Result.RELEASED);
        case ALREADY -> tried(request, Result.ALREADY);
        case NOT_FOUND -> {
          logMissing(session.shard(), request);
          tried(request, Result.NOT_FOUND);
        }
        case GROUP -> ofUnknownGroup.add(request);
        default -> {
          return Future.failedFuture(
              new SeckillException(ErrorCode.UNAVAILABLE, "a release is " + status));
        }
      }
      return Future.succeededFuture();
    }

    private Future<StepResult> releaseWin(RedisLink link, long epoch, Release request) {
      long timeoutMs = session.callTimeoutMs();
      return ReleaseWin.run(
          link,
          link.fence(epoch, timeoutMs),
          session.keys(),
          new ReleaseWin.Args(
              request.user(), request.win(), request.reason(), request.items(), groups),
          timeoutMs);
    }

    private void tried(Release request, Result result) {
      metrics.released(result);
      if (result == Result.RELEASED) {
        unstored.put(request.id(), System.nanoTime());
      } else if (tried.size() < MAX_REMEMBERED) {
        tried.put(request.id(), System.nanoTime());
      }
    }
  }
}

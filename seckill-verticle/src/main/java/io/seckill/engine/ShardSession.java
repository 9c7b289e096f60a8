package io.seckill.engine;

import io.seckill.common.id.EntryId;
import io.seckill.lua.FenceStatus;
import io.seckill.lua.ReadHead;
import io.seckill.lua.ReadHead.Head;
import io.seckill.lua.ReadHead.HeadState;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One verticle's view of one shard: its connections, and the epoch under which it may call scripts.
 * While the shard is not open here, the session keeps looking: it adopts a head that is open on the
 * connected server, and where it has an opener, it opens the shard itself. Belongs to one event
 * loop.
 */
final class ShardSession {

  private static final Logger LOG = LoggerFactory.getLogger(ShardSession.class);

  private static final long RETRY_FIRST_MS = 20;
  private static final long RETRY_MAX_MS = 1_000;

  /** A failure that repeats is logged this often at most. */
  private static final long LOG_EVERY_MS = 10_000;

  private final Vertx vertx;
  private final int shard;
  private final ShardAccess access;
  private final Optional<ShardOpener> opener;
  private final List<RedisLink> links = new ArrayList<>();

  private int nextLink;
  private long epoch;
  private EntryId seen = new EntryId(0, 0);
  private long lastSeenOpenNanos = System.nanoTime();
  private long retryMs = RETRY_FIRST_MS;
  private long retryTimer = -1;
  private long lastLoggedAtNanos = System.nanoTime() - LOG_EVERY_MS * 1_000_000;
  private boolean refreshing;
  private boolean stopped;
  private Runnable onOpen = () -> {};

  /**
   * Prepares a session.
   *
   * @param opener opens the shard when nobody has; empty where only adopting is allowed
   */
  ShardSession(Vertx vertx, int shard, ShardAccess access, Optional<ShardOpener> opener) {
    this.vertx = vertx;
    this.shard = shard;
    this.access = access;
    this.opener = opener;
  }

  /** Connects; {@code onOpen} runs each time the shard becomes open here. */
  void start(Runnable whenOpen) {
    onOpen = whenOpen;
    for (int i = 0; i < access.connections(); i++) {
      RedisLink link = access.newLink(vertx, shard);
      links.add(link);
      // Each new connection may lead to another server: look at the head before the next call.
      link.open(this::refresh);
    }
  }

  Future<Void> stop() {
    stopped = true;
    epoch = 0;
    vertx.cancelTimer(retryTimer);
    List<Future<Void>> closing = new ArrayList<>();
    links.forEach(link -> closing.add(link.close()));
    return Future.join(closing).mapEmpty();
  }

  int shard() {
    return shard;
  }

  RedisKeys keys() {
    return access.keys(shard);
  }

  long callTimeoutMs() {
    return access.callTimeoutMs();
  }

  /** Whether scripts can be called now. */
  boolean isOpen() {
    return openLink().isPresent();
  }

  /**
   * How long the shard has not been seen open, milliseconds; 0 while it is. To be asked regularly:
   * asking is seeing.
   */
  long closedForMs() {
    long now = System.nanoTime();
    if (isOpen()) {
      lastSeenOpenNanos = now;
    }
    return (now - lastSeenOpenNanos) / 1_000_000;
  }

  /** Whether any connection leads to the server. */
  boolean isConnected() {
    return link().isPresent();
  }

  /** The epoch to call scripts under; 0 while not open. */
  long epoch() {
    return epoch;
  }

  /**
   * Remembers how far the shard has got, as a reply has just told. Redis must never show less of
   * the same epoch again: then it has lost what it had answered.
   */
  void saw(long atEpoch, long seq) {
    if (atEpoch > seen.epoch() || (atEpoch == seen.epoch() && seq > seen.seq())) {
      seen = new EntryId(atEpoch, seq);
    }
  }

  /** The highest number of the present epoch that a reply has told; 0 for none. */
  long seenSeq() {
    return seen.epoch() == epoch ? seen.seq() : 0;
  }

  /** The next connection that is up, in turn, while the shard is open here: for scripts. */
  Optional<RedisLink> openLink() {
    return epoch > 0 ? link() : Optional.empty();
  }

  /** The next connection that is up, in turn. */
  Optional<RedisLink> link() {
    for (int i = 0; i < links.size(); i++) {
      nextLink = (nextLink + 1) % links.size();
      RedisLink link = links.get(nextLink);
      if (link.isUp()) {
        return Optional.of(link);
      }
    }
    return Optional.empty();
  }

  /**
   * To be called when a script was refused by the fence: what the session believed is not true any
   * more.
   */
  void refused(FenceStatus status) {
    if (status != FenceStatus.EXPIRED) {
      epoch = 0;
      refresh();
    }
  }

  private void refresh() {
    if (refreshing || stopped) {
      return;
    }
    Optional<RedisLink> link = link();
    if (link.isEmpty()) {
      return; // The next connection calls again.
    }
    refreshing = true;
    ReadHead.run(link.get(), keys(), access.callTimeoutMs())
        .compose(head -> adoptOrOpen(link.get(), head))
        .onComplete(
            result -> {
              refreshing = false;
              if (stopped) {
                return;
              }
              if (result.succeeded() && result.result() > 0) {
                opened(result.result());
              } else {
                epoch = 0;
                if (result.failed()) {
                  logSometimes(result.cause().getMessage());
                }
                retryLater();
              }
            });
  }

  private Future<Long> adoptOrOpen(RedisLink link, Optional<Head> head) {
    if (head.isPresent() && head.get().shardCount() != access.shardCount()) {
      return Future.failedFuture(
          "Redis holds data for "
              + head.get().shardCount()
              + " shards, but redis.shards is "
              + access.shardCount());
    }
    boolean openHere =
        head.isPresent()
            && head.get().state() == HeadState.OPEN
            && head.get().runId().equals(link.runId())
            && !isDisowned(head.get().epoch());
    if (openHere) {
      return Future.succeededFuture(head.get().epoch());
    }
    return opener.map(o -> o.open(shard, link, head)).orElseGet(() -> Future.succeededFuture(0L));
  }

  private boolean isDisowned(long headEpoch) {
    return opener.isPresent() && opener.get().isDisowned(shard, headEpoch);
  }

  /** Asks the ledger whether the shard is open for it too; only where there is an opener. */
  void confirm() {
    long confirmed = epoch;
    if (opener.isPresent() && confirmed > 0) {
      opener
          .get()
          .confirm(
              shard,
              confirmed,
              () -> {
                if (epoch == confirmed) {
                  refused(FenceStatus.FENCED);
                }
              });
    }
  }

  private void opened(long openEpoch) {
    boolean news = epoch != openEpoch;
    epoch = openEpoch;
    retryMs = RETRY_FIRST_MS;
    if (news) {
      LOG.debug("shard {} is open under epoch {}", shard, openEpoch);
      confirm();
    }
    onOpen.run();
  }

  private void logSometimes(String reason) {
    long now = System.nanoTime();
    if (now - lastLoggedAtNanos >= LOG_EVERY_MS * 1_000_000) {
      lastLoggedAtNanos = now;
      LOG.warn("shard {} is not open yet: {}; trying again", shard, reason);
    }
  }

  private void retryLater() {
    vertx.cancelTimer(retryTimer);
    retryTimer = vertx.setTimer(retryMs, id -> refresh());
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  }
}

package io.seckill.consumer.log;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Letter;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Outcome;
import io.seckill.consumer.store.Received;
import io.seckill.lua.AckLog;
import io.seckill.lua.RedisCallException;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.seckill.lua.RemoveIdleConsumers;
import io.seckill.lua.StepResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries one shard's log into MySQL: reads, stores, acknowledges, in that order, for ever. A crash
 * at any point repeats work and never doubles it.
 *
 * <p>One step at a time: own pending entries first, then what others have held for too long, then
 * new ones. While a batch is being stored, one more is read ahead. Nothing is acknowledged before
 * its transaction has committed; an acknowledgement that fails is kept and sent again.
 *
 * <p>Belongs to one event loop.
 */
final class ShardConsumer {

  private static final Logger LOG = LoggerFactory.getLogger(ShardConsumer.class);

  /**
   * Acknowledgements that may wait, in batches; one is of a stream entry, whatever it holds, so the
   * changes behind them may be many times as many. While Redis refuses them (its shard is being
   * opened again) storing goes on up to this, because the log may hold far more than one batch.
   */
  private static final int MAX_BATCHES_UNACKED = 20;

  /** Before every entry. */
  private static final String FIRST = "0";

  private static final long FIRST_PAUSE_MS = 50;
  private static final long MAX_PAUSE_MS = 2_000;

  /**
   * Names of nodes that are gone are removed when they have been silent for this many times as long
   * as entries may be held: by then others have taken over what they held. One that comes back is
   * made again by its next read.
   */
  private static final int SILENT_CLAIMS = 2;

  private final Context context;
  private final Vertx vertx;
  private final ShardRef shard;
  private final RedisKeys keys;
  private final Links links;
  private final String consumer;
  private final LogReader reader;
  private final Storage storage;
  private final Settings settings;
  private final ConsumerMetrics metrics;
  private final LogWatch watch;
  private final Gaps gaps;

  /**
   * Stream entries that are stored and not acknowledged yet, oldest first; one that is read twice
   * is here once.
   */
  private final Set<EntryId> unacked = new LinkedHashSet<>();

  private final ReadSize readSize;
  private Future<LogReader.Read> ahead;

  /** Where reading this consumer's own pending entries goes on; null when all were read. */
  private String pendingAfter = FIRST;

  /** Connections of the reading link so far: an answer of an earlier one says nothing of now. */
  private int connections;

  private boolean groupKnown;
  private boolean stopping;
  private long nextClaimAtMs;
  private long pauseMs = FIRST_PAUSE_MS;
  private final LogRate logRate = new LogRate();
  private final Promise<Void> ended = Promise.promise();
  private boolean started;

  /** Whether the loop stands still until both links are up. */
  private boolean waitingForLinks;

  private long nextTidyMs;

  /**
   * The two connections of a shard.
   *
   * @param reads for blocking reads, and for nothing else
   * @param calls for everything that must not wait behind one
   */
  record Links(RedisLink reads, RedisLink calls) {}

  /**
   * Where entries go.
   *
   * @param log stores them, whatever it takes
   * @param batches says what is stored
   * @param pace how fast
   */
  record Storage(LogStore log, BatchStore batches, WritePace pace) {}

  /**
   * How to read.
   *
   * @param batchSize changes of one transaction at most, and about as many of one read
   * @param blockMs how long a read waits for the first entry
   * @param claimIdleMs entries that somebody has held this long are taken over
   * @param callTimeoutMs bound on one call
   */
  record Settings(int batchSize, long blockMs, long claimIdleMs, long callTimeoutMs) {}

  /**
   * Whose log.
   *
   * @param shard its name
   * @param keys its keys
   * @param consumer this node's name in the group
   */
  record Source(ShardRef shard, RedisKeys keys, String consumer) {}

  ShardConsumer(
      Vertx vertx,
      Source source,
      Links links,
      Storage storage,
      Settings settings,
      ConsumerMetrics metrics) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.shard = source.shard();
    this.keys = source.keys();
    this.consumer = source.consumer();
    this.reader = new LogReader(source.keys(), source.consumer());
    this.links = links;
    this.storage = storage;
    this.settings = settings;
    this.readSize = new ReadSize(settings.batchSize());
    this.metrics = metrics;
    this.gaps =
        new Gaps(
            vertx,
            source,
            links.calls(),
            new Gaps.Storing(storage.batches(), this::store, () -> stopping),
            settings,
            metrics);
    this.watch = new LogWatch(vertx, source, links.calls(), settings.callTimeoutMs(), metrics);
  }

  /** Starts; connects in the background. */
  void start() {
    nextClaimAtMs = nowMs() + settings.claimIdleMs();
    watch.start();
    links.calls().open(this::startWhenUp);
    links
        .reads()
        .open(
            () -> {
              // Another server, or the same one after a restart: what it believes to be pending
              // here comes first again.
              connections++;
              pendingAfter = FIRST;
              groupKnown = false;
              startWhenUp();
            });
  }

  private void startWhenUp() {
    boolean waits = !started || waitingForLinks;
    if (waits && areLinksUp()) {
      started = true;
      waitingForLinks = false;
      step();
    }
  }

  private boolean areLinksUp() {
    return links.reads().isUp() && links.calls().isUp();
  }

  /**
   * Stops reading at once, finishes the batch in hand and acknowledges it. What is not finished
   * stays pending and is read again by the next start.
   */
  Future<Void> stop() {
    stopping = true;
    watch.stop();
    if (!started || waitingForLinks) {
      ended.tryComplete();
    }
    // Ends a read that waits.
    return links.reads().close().compose(done -> ended.future());
  }

  /**
   * Takes this consumer's name out of the group, unless it holds entries: those are read again
   * under it, or taken over. Then closes what {@link #stop} needs to the end.
   */
  Future<Void> close() {
    return tidy(true).transform(tidied -> links.calls().close());
  }

  /** One turn of the loop. Each turn starts on a fresh stack. */
  private void step() {
    if (stopping) {
      ended.tryComplete();
      return;
    }
    if (!areLinksUp()) {
      // The links connect again by themselves, and say so in the log.
      waitingForLinks = true;
      return;
    }
    turn()
        .onComplete(
            result -> {
              if (result.succeeded()) {
                pauseMs = FIRST_PAUSE_MS;
                context.runOnContext(go -> step());
              } else if (stopping) {
                ended.tryComplete();
              } else {
                failed(result.cause());
              }
            });
  }

  private void failed(Throwable failure) {
    ahead = null;
    pendingAfter = FIRST;
    if (failure instanceof RedisCallException e && e.code().equals("NOGROUP")) {
      groupKnown = false;
    }
    if (logRate.allows()) {
      LOG.warn("reading the log of shard {}: {}; trying again", shard, failure.toString());
    }
    long pause = pauseMs / 2 + ThreadLocalRandom.current().nextLong(pauseMs / 2 + 1) + 1;
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    vertx.setTimer(pause, id -> step());
  }

  private Future<Void> turn() {
    if (isFull()) {
      return acknowledge()
          .compose(done -> isFull() ? vertx.timer(MAX_PAUSE_MS).mapEmpty() : done());
    }
    return ensureGroup().compose(done -> tidyIfDue()).compose(done -> read()).compose(this::handle);
  }

  private boolean isFull() {
    return unacked.size() >= MAX_BATCHES_UNACKED * settings.batchSize();
  }

  private static Future<Void> done() {
    return Future.succeededFuture();
  }

  private Future<Void> ensureGroup() {
    if (groupKnown) {
      return Future.succeededFuture();
    }
    return reader
        .makeGroup(links.calls(), settings.callTimeoutMs())
        .map(
            made -> {
              groupKnown = true;
              if (made) {
                metrics.groupMade();
                LOG.debug("made the group of shard {}", shard);
              }
              return null;
            });
  }

  /** Every start under another name leaves a consumer behind in the group. */
  private Future<Void> tidyIfDue() {
    if (nowMs() < nextTidyMs) {
      return done();
    }
    nextTidyMs = nowMs() + settings.claimIdleMs();
    return tidy(false);
  }

  private Future<Void> tidy(boolean leaving) {
    return RemoveIdleConsumers.run(
            links.calls(),
            links.calls().fence(0, settings.callTimeoutMs()),
            keys,
            new RemoveIdleConsumers.Args(consumer, leaving, SILENT_CLAIMS * settings.claimIdleMs()),
            settings.callTimeoutMs())
        .map(
            removed -> {
              if (removed > 0) {
                LOG.debug("removed {} consumers of shard {} from its group", removed, shard);
              }
              return null;
            });
  }

  private Future<LogReader.Read> read() {
    if (pendingAfter != null) {
      // What was read ahead is pending too by now: the connection keeps the order.
      ahead = null;
      int connection = connections;
      return reader
          .readPending(links.reads(), pendingAfter, readSize, settings.callTimeoutMs())
          .map(
              read -> {
                List<Received> changes = read.changes();
                if (connection == connections) {
                  pendingAfter = changes.isEmpty() ? null : changes.get(changes.size() - 1).id();
                }
                countDeleted(changes);
                return read;
              });
    }
    if (nowMs() >= nextClaimAtMs) {
      nextClaimAtMs = nowMs() + Math.max(1, settings.claimIdleMs() / 2);
      return reader
          .claim(links.calls(), readSize, settings.claimIdleMs(), settings.callTimeoutMs())
          .map(
              claimed -> {
                if (claimed.unnamed()) {
                  pendingAfter = FIRST;
                }
                if (claimed.read().isFull()) {
                  nextClaimAtMs = 0;
                }
                metrics.claimed(claimed.read().changes().size());
                countDeleted(claimed.read().changes());
                return claimed.read();
              });
    }
    Future<LogReader.Read> next = ahead != null ? ahead : readNew();
    ahead = null;
    return next;
  }

  private Future<LogReader.Read> readNew() {
    return reader.readNew(links.reads(), readSize, settings.blockMs(), settings.callTimeoutMs());
  }

  private void countDeleted(List<Received> entries) {
    long gone =
        entries.stream()
            .filter(entry -> entry.letter() != null)
            .filter(entry -> entry.letter().reason().equals(Letter.DELETED))
            .count();
    if (gone > 0) {
      metrics.deleted((int) gone);
      LOG.error(
          "{} entries of shard {} were deleted from the log before they were stored", gone, shard);
    }
  }

  private Future<Void> handle(LogReader.Read read) {
    if (read.changes().isEmpty()) {
      return acknowledge().compose(done -> gaps.look());
    }
    if (pendingAfter == null && ahead == null && read.isFull() && !isFull() && !stopping) {
      ahead = readNew();
      // Its failure is taken up when the batch is asked for.
      ahead.onFailure(failure -> {});
    }
    return storeAll(LogStore.runs(read.changes(), settings.batchSize()))
        .compose(done -> acknowledge());
  }

  private Future<Void> storeAll(List<List<Received>> runs) {
    Promise<Void> promise = Promise.promise();
    InHand inHand = new InHand(runs, nowMs());
    storeFrom(inHand, 0, inHand.readAtMs(), promise);
    return promise.future();
  }

  /**
   * What was read and is being stored.
   *
   * @param runs one after the other, in the order of the log
   * @param readAtMs since when
   */
  private record InHand(List<List<Received>> runs, long readAtMs) {

    /**
     * Of a pending entry that was deleted the id is all that is known: it stood for some of the
     * numbers below, too.
     */
    private boolean isBelowDeleted(int at) {
      Letter letter = runs.get(at).get(0).letter();
      return letter != null && letter.reason().equals(Letter.DELETED);
    }

    /** What the numbers below a run are when they are nowhere. */
    private String reason(int at) {
      return isBelowDeleted(at) ? Letter.DELETED : Letter.MISSING;
    }

    /**
     * Since when the numbers below a run are waited for, when that begins anew. What was deleted is
     * gone since the read: however many such entries there are, they are waited for once.
     */
    private long waitingSinceMs(int at) {
      return isBelowDeleted(at) ? readAtMs : nowMs();
    }
  }

  /** Run by run, in the order of the log; each on a fresh stack. */
  private void storeFrom(InHand inHand, int at, long waitingSinceMs, Promise<Void> promise) {
    if (at == inHand.runs().size()) {
      promise.complete();
      return;
    }
    List<Received> run = inHand.runs().get(at);
    store(run)
        .onComplete(
            result -> {
              if (result.failed()) {
                promise.fail(result.cause());
              } else if (result.result() instanceof Outcome.Early early) {
                gaps.close(new Gaps.Missing(early.missing(), inHand.reason(at)), waitingSinceMs)
                    .onSuccess(
                        helped ->
                            storeFrom(
                                inHand,
                                at,
                                helped ? inHand.waitingSinceMs(at) : waitingSinceMs,
                                promise))
                    .onFailure(
                        failure -> {
                          if (failure instanceof Gaps.NotGivenOutException) {
                            storage
                                .log()
                                .storeForeign(shard, run, failure)
                                .onSuccess(stored -> stored(inHand, at, promise))
                                .onFailure(promise::fail);
                          } else {
                            promise.fail(failure);
                          }
                        });
              } else {
                stored(inHand, at, promise);
              }
            });
  }

  /** In its turn. What could not be stored yet has not used its turn. */
  private Future<Outcome> store(List<Received> run) {
    long waitMs = storage.pace().take(run.size());
    return (waitMs > 0 ? vertx.timer(waitMs).<Void>mapEmpty() : done())
        .compose(turn -> storage.log().store(shard, run))
        .onSuccess(
            outcome -> {
              if (!(outcome instanceof Outcome.Stored)) {
                storage.pace().giveBack(run.size());
              }
            });
  }

  private void stored(InHand inHand, int at, Promise<Void> promise) {
    for (Received change : inHand.runs().get(at)) {
      if (!change.endsStreamEntry()) {
        continue;
      }
      // Runs are stored one after the other: with its last change a stream entry is stored.
      if (change.place() != null) {
        unacked.add(change.place());
      } else {
        foreign(change);
      }
    }
    int next = at + 1;
    context.runOnContext(
        go -> {
          long sinceMs = next < inHand.runs().size() ? inHand.waitingSinceMs(next) : nowMs();
          storeFrom(inHand, next, sinceMs, promise);
        });
  }

  /** An id that AckLog does not take: only its letter counts, so it is acknowledged by itself. */
  private void foreign(Received entry) {
    LOG.error("the log of shard {} had an entry {} that is not ours", shard, entry.id());
    reader
        .acknowledge(links.calls(), entry.id(), settings.callTimeoutMs())
        // It stays pending, is read again after the next start and finds its letter.
        .onFailure(failure -> LOG.warn("cannot acknowledge {}", entry.id()));
  }

  private Future<Void> acknowledge() {
    if (unacked.isEmpty()) {
      return Future.succeededFuture();
    }
    List<EntryId> ids = new ArrayList<>(Math.min(unacked.size(), AckLog.MAX_IDS));
    for (EntryId id : unacked) {
      if (ids.size() == AckLog.MAX_IDS) {
        break;
      }
      ids.add(id);
    }
    return AckLog.run(
            links.calls(),
            links.calls().fence(0, settings.callTimeoutMs()),
            keys,
            ids,
            settings.callTimeoutMs())
        .map(this::acknowledged)
        .otherwise(
            failure -> {
              // Stored is stored. The ids stay here and go with the next call.
              LOG.debug("acknowledging on shard {}: {}", shard, failure.getMessage());
              return null;
            })
        .mapEmpty();
  }

  private Void acknowledged(StepResult result) {
    switch (result.status()) {
      case OK -> drop();
      case NOGROUP -> {
        // A new group gives everything out again; what is stored is then acknowledged once more.
        drop();
        groupKnown = false;
      }
      default -> LOG.debug("acknowledging on shard {}: {}", shard, result.status());
    }
    return null;
  }

  private void drop() {
    Iterator<EntryId> oldest = unacked.iterator();
    for (int i = 0; i < AckLog.MAX_IDS && oldest.hasNext(); i++) {
      oldest.next();
      oldest.remove();
    }
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}

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
import io.seckill.lua.ReadHead;
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
import java.util.Optional;
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
  private static final long LAG_EVERY_MS = 1_000;

  /** How often an idle consumer compares the head with what is stored. */
  private static final long LOOK_EVERY_MS = 1_000;

  /** Names of nodes that are gone: looked for now and then, removed after a day of silence. */
  private static final long TIDY_EVERY_MS = 3_600_000;

  private static final long IDLE_CONSUMER_MS = 86_400_000;

  /** After this long, entries that another consumer should be storing are stored from here. */
  private static final long HELP_AFTER_MS = 1_000;

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
  private long nextLagAtMs;
  private long pauseMs = FIRST_PAUSE_MS;
  private final LogRate logRate = new LogRate();
  private final Promise<Void> ended = Promise.promise();
  private boolean started;

  /** Whether the loop stands still until both links are up. */
  private boolean waitingForLinks;

  /** What was not stored when nothing was left to read, and since when. */
  private BatchStore.Gap behind;

  private long behindSinceMs;
  private long nextLookMs;
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
   */
  record Storage(LogStore log, BatchStore batches) {}

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
  }

  /** Starts; connects in the background. */
  void start() {
    nextClaimAtMs = nowMs() + settings.claimIdleMs();
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
    if (!started || waitingForLinks) {
      ended.tryComplete();
    }
    // Ends a read that waits.
    return links.reads().close().compose(done -> ended.future());
  }

  /** Closes what {@link #stop} needs to the end. */
  Future<Void> close() {
    return links.calls().close();
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
    return ensureGroup()
        .compose(done -> lagIfDue())
        .compose(done -> tidyIfDue())
        .compose(done -> read())
        .compose(this::handle);
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

  private Future<Void> lagIfDue() {
    if (nowMs() < nextLagAtMs) {
      return Future.succeededFuture();
    }
    nextLagAtMs = nowMs() + LAG_EVERY_MS;
    return ReadHead.run(links.calls(), keys, settings.callTimeoutMs())
        .map(
            head -> {
              metrics.lag(shard, head.map(ReadHead.Head::unstored).orElse(0L));
              return null;
            });
  }

  /** Every start under another name leaves a consumer behind in the group. */
  private Future<Void> tidyIfDue() {
    if (nowMs() < nextTidyMs) {
      return done();
    }
    nextTidyMs = nowMs() + TIDY_EVERY_MS;
    return RemoveIdleConsumers.run(
            links.calls(),
            links.calls().fence(0, settings.callTimeoutMs()),
            keys,
            new RemoveIdleConsumers.Args(consumer, IDLE_CONSUMER_MS),
            settings.callTimeoutMs())
        .map(
            removed -> {
              if (removed > 0) {
                LOG.info("removed {} idle consumers of shard {}", removed, shard);
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
      return acknowledge().compose(done -> lookBehind());
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
    storage
        .log()
        .store(shard, run)
        .onComplete(
            result -> {
              if (result.failed()) {
                promise.fail(result.cause());
              } else if (result.result() instanceof Outcome.Early early) {
                early(new Missing(early.missing(), inHand.reason(at)), waitingSinceMs)
                    .onSuccess(
                        helped ->
                            storeFrom(
                                inHand,
                                at,
                                helped ? inHand.waitingSinceMs(at) : waitingSinceMs,
                                promise))
                    .onFailure(
                        failure -> {
                          if (failure instanceof NotGivenOutException) {
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

  /** The entries in hand have numbers that the shard has not given out: they were made by hand. */
  private static final class NotGivenOutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotGivenOutException(EntryId end) {
      super("the shard has given out no number after " + end, null, false, false);
    }
  }

  /** An id that AckLog does not take: only its letter counts, so it is acknowledged by itself. */
  private void foreign(Received entry) {
    LOG.error("the log of shard {} had an entry {} that is not ours", shard, entry.id());
    reader
        .acknowledge(links.calls(), entry.id(), settings.callTimeoutMs())
        // It stays pending, is read again after the next start and finds its letter.
        .onFailure(failure -> LOG.warn("cannot acknowledge {}", entry.id()));
  }

  /**
   * What has to be stored before something else can be.
   *
   * @param last the last number of it
   * @param reason what it is when it is nowhere: a word of {@link Letter}
   */
  private record Missing(EntryId last, String reason) {}

  /**
   * Changes before those in hand are not stored. Another consumer has them, so first it gets some
   * time; then they are stored from here, as far as the log has them; and when they are nowhere for
   * so long that nobody can be holding them, they become dead letters, and everything goes on.
   *
   * @return whether something was stored, so that waiting begins anew
   */
  private Future<Boolean> early(Missing missing, long waitingSinceMs) {
    if (stopping) {
      return Future.failedFuture("stopping");
    }
    long waitedMs = nowMs() - waitingSinceMs;
    if (waitedMs < HELP_AFTER_MS) {
      return vertx.timer(Math.max(5, waitedMs / 8)).map(false);
    }
    EntryId last = missing.last();
    return storage
        .batches()
        .firstMissing(shard, last)
        .compose(
            first ->
                first > last.seq()
                    ? Future.succeededFuture(true)
                    : help(new EntryId(last.epoch(), first), missing, waitedMs))
        // MySQL or Redis away: wait on.
        .recover(
            failure ->
                failure instanceof NotGivenOutException
                    ? Future.failedFuture(failure)
                    : vertx.timer(MAX_PAUSE_MS).map(false));
  }

  private Future<Boolean> help(EntryId first, Missing missing, long waitedMs) {
    EntryId last = missing.last();
    return reader
        .range(links.calls(), first.toString(), last, readSize, settings.callTimeoutMs())
        .map(LogReader.Page::changes)
        .compose(
            found -> {
              boolean leads = !found.isEmpty() && first.equals(found.get(0).place());
              if (leads) {
                return storeBefore(LogStore.runs(found, settings.batchSize()).get(0), waitedMs);
              }
              if (waitedMs < settings.claimIdleMs()) {
                return vertx.timer(HELP_AFTER_MS / 4).map(false);
              }
              long upTo = found.isEmpty() ? last.seq() : found.get(0).place().seq() - 1;
              // What lies before an entry that is there was no part of a deleted one behind it.
              String reason = found.isEmpty() ? missing.reason() : Letter.MISSING;
              return givenOut(first.epoch())
                  .compose(
                      end ->
                          first.seq() > end
                              // What an entry made by hand, far ahead, skips never was.
                              ? Future.failedFuture(
                                  new NotGivenOutException(new EntryId(first.epoch(), end)))
                              : giveUp(
                                  first,
                                  new Missing(
                                      new EntryId(first.epoch(), Math.min(upTo, end)), reason),
                                  waitedMs));
            });
  }

  /** The last number that the shard gave out in an epoch, as far as its head tells. */
  private Future<Long> givenOut(long epoch) {
    return ReadHead.run(links.calls(), keys, settings.callTimeoutMs())
        .map(head -> head.filter(now -> now.epoch() == epoch).map(ReadHead.Head::seq))
        .map(seq -> seq.orElse(EntryId.MAX_SEQ));
  }

  /** To the end of the gap at once: it was waited for as a whole. */
  private Future<Boolean> giveUp(EntryId first, Missing missing, long waitedMs) {
    List<Received> gone = new ArrayList<>();
    long lastSeq = missing.last().seq();
    long end = Math.min(lastSeq, first.seq() + settings.batchSize() - 1);
    for (long seq = first.seq(); seq <= end; seq++) {
      gone.add(Received.lost(first.epoch() + "-" + seq, missing.reason()));
    }
    LOG.error(
        "entries {} to {} of shard {} are not in the log and were never stored", first, end, shard);
    return storage
        .log()
        .store(shard, gone)
        .compose(
            outcome -> {
              if (outcome instanceof Outcome.Early early) {
                return early(missing(early), nowMs() - waitedMs);
              }
              if (outcome instanceof Outcome.Stored stored) {
                countGone(missing.reason(), stored.letters());
              }
              return end < lastSeq && !stopping
                  ? giveUp(new EntryId(first.epoch(), end + 1), missing, waitedMs)
                  : Future.succeededFuture(true);
            });
  }

  private void countGone(String reason, int changes) {
    if (reason.equals(Letter.DELETED)) {
      metrics.deleted(changes);
    } else {
      metrics.missing(changes);
    }
  }

  private static Missing missing(Outcome.Early early) {
    return new Missing(early.missing(), Letter.MISSING);
  }

  /**
   * Nothing is left to read: then everything that the shard decided must be stored, by whomever. A
   * log that was deleted with unread entries tells nothing of them, and perhaps no entry ever
   * follows; but the head and the closed epochs know their numbers.
   */
  private Future<Void> lookBehind() {
    if (stopping || nowMs() < nextLookMs) {
      return done();
    }
    nextLookMs = nowMs() + LOOK_EVERY_MS;
    return ReadHead.run(links.calls(), keys, settings.callTimeoutMs())
        .compose(
            head ->
                // In any state: one that is being written anew waits for just these entries.
                head.isPresent()
                    ? storage
                        .batches()
                        .firstGap(shard, new EntryId(head.get().epoch(), head.get().seq()))
                    : Future.succeededFuture(Optional.<BatchStore.Gap>empty()))
        .compose(this::closeGap)
        // MySQL or Redis away: the next look comes soon.
        .otherwise(
            failure -> {
              LOG.debug("looking behind on shard {}: {}", shard, failure.getMessage());
              return null;
            });
  }

  private Future<Void> closeGap(Optional<BatchStore.Gap> gap) {
    if (gap.isEmpty()) {
      behind = null;
      return done();
    }
    boolean known = behind != null && behind.first().equals(gap.get().first());
    if (!known) {
      behind = gap.get();
      behindSinceMs = nowMs();
      return done();
    }
    return early(new Missing(gap.get().last(), Letter.MISSING), behindSinceMs).mapEmpty();
  }

  private Future<Boolean> storeBefore(List<Received> run, long waitedMs) {
    return storage
        .log()
        .store(shard, run)
        .compose(
            outcome ->
                // The end of the epoch before is missing as well.
                outcome instanceof Outcome.Early early
                    ? early(missing(early), nowMs() - waitedMs)
                    : Future.succeededFuture(true));
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

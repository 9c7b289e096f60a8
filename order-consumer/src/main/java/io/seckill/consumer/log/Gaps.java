package io.seckill.consumer.log;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.Repeat;
import io.seckill.consumer.store.BatchStore;
import io.seckill.consumer.store.Letter;
import io.seckill.consumer.store.LogStore;
import io.seckill.consumer.store.Outcome;
import io.seckill.consumer.store.Received;
import io.seckill.lua.ReadHead;
import io.seckill.lua.RedisKeys;
import io.seckill.lua.RedisLink;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that nothing stands still for numbers of a shard's log that are not stored: another
 * consumer may hold them, or be gone, or they are nowhere. Belongs to one event loop.
 */
final class Gaps {

  private static final Logger LOG = LoggerFactory.getLogger(Gaps.class);

  /** How often an idle consumer compares the head with what is stored. */
  private static final long LOOK_EVERY_MS = 1_000;

  /** After this long, entries that another consumer should be storing are stored from here. */
  private static final long HELP_AFTER_MS = 1_000;

  /** Between looks while MySQL or Redis is away. */
  private static final long PAUSE_MS = 2_000;

  private final Vertx vertx;
  private final ShardRef shard;
  private final RedisKeys keys;
  private final RedisLink link;
  private final LogReader reader;
  private final ReadSize readSize;
  private final Storing storing;
  private final ShardConsumer.Settings settings;
  private final ConsumerMetrics metrics;

  /** What was not stored when nothing was left to read, and since when. */
  private BatchStore.Gap behind;

  private long behindSinceMs;
  private long nextLookMs;

  /**
   * How entries are stored.
   *
   * @param batches says what is stored
   * @param store stores a run
   * @param stopping becomes true when nothing is to be begun any more
   */
  record Storing(
      BatchStore batches,
      Function<List<Received>, Future<Outcome>> store,
      BooleanSupplier stopping) {}

  Gaps(
      Vertx vertx,
      ShardConsumer.Source source,
      RedisLink link,
      Storing storing,
      ShardConsumer.Settings settings,
      ConsumerMetrics metrics) {
    this.vertx = vertx;
    this.shard = source.shard();
    this.keys = source.keys();
    this.link = link;
    this.reader = new LogReader(source.keys(), source.consumer());
    this.readSize = new ReadSize(settings.batchSize());
    this.storing = storing;
    this.settings = settings;
    this.metrics = metrics;
  }

  /** The entries in hand have numbers that the shard has not given out: they were made by hand. */
  static final class NotGivenOutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotGivenOutException(EntryId end) {
      super("the shard has given out no number after " + end, null, false, false);
    }
  }

  /**
   * What has to be stored before something else can be.
   *
   * @param last the last number of it
   * @param reason what it is when it is nowhere: a word of {@link Letter}
   */
  record Missing(EntryId last, String reason) {}

  /**
   * Changes before those in hand are not stored. Another consumer has them, so first it gets some
   * time; then they are stored from here, as far as the log has them; and when they are nowhere for
   * so long that nobody can be holding them, they become dead letters, and everything goes on.
   *
   * @return whether something was stored, so that waiting begins anew
   */
  Future<Boolean> close(Missing missing, long waitingSinceMs) {
    if (isStopping()) {
      return Future.failedFuture("stopping");
    }
    long waitedMs = nowMs() - waitingSinceMs;
    if (waitedMs < HELP_AFTER_MS) {
      return vertx.timer(Math.max(5, waitedMs / 8)).map(false);
    }
    EntryId last = missing.last();
    return storing
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
                    : vertx.timer(PAUSE_MS).map(false));
  }

  private Future<Boolean> help(EntryId first, Missing missing, long waitedMs) {
    EntryId last = missing.last();
    return reader
        .range(link, first.toString(), last, readSize, settings.callTimeoutMs())
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
    return ReadHead.run(link, keys, settings.callTimeoutMs())
        .map(head -> head.filter(now -> now.epoch() == epoch).map(ReadHead.Head::seq))
        .map(seq -> seq.orElse(EntryId.MAX_SEQ));
  }

  /** To the end of the gap at once: it was waited for as a whole. */
  private Future<Boolean> giveUp(EntryId first, Missing missing, long waitedMs) {
    long lastSeq = missing.last().seq();
    long[] next = {first.seq()};
    boolean[] stored = {true};
    return Repeat.untilDone(
            vertx,
            () -> {
              long end = Math.min(lastSeq, next[0] + settings.batchSize() - 1);
              Future<Outcome> some = giveUp(first.epoch(), next[0], end, missing.reason());
              return some.compose(
                  outcome -> {
                    if (outcome instanceof Outcome.Early early) {
                      return close(missing(early), nowMs() - waitedMs)
                          .map(
                              helped -> {
                                stored[0] = helped;
                                return true;
                              });
                    }
                    next[0] = end + 1;
                    return Future.succeededFuture(end == lastSeq || isStopping());
                  });
            })
        .map(done -> stored[0]);
  }

  private Future<Outcome> giveUp(long epoch, long from, long to, String reason) {
    List<Received> gone = new ArrayList<>();
    for (long seq = from; seq <= to; seq++) {
      gone.add(Received.lost(epoch + "-" + seq, reason));
    }
    LOG.error(
        "entries {}-{} to {} of shard {} are not in the log and were never stored",
        epoch,
        from,
        to,
        shard);
    return storing
        .store()
        .apply(gone)
        .onSuccess(
            outcome -> {
              if (outcome instanceof Outcome.Stored stored) {
                countGone(reason, stored.letters());
              }
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
  Future<Void> look() {
    if (isStopping() || nowMs() < nextLookMs) {
      return done();
    }
    nextLookMs = nowMs() + LOOK_EVERY_MS;
    return ReadHead.run(link, keys, settings.callTimeoutMs())
        .compose(
            head ->
                // In any state: one that is being written anew waits for just these entries.
                head.isPresent()
                    ? storing
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
    return close(new Missing(gap.get().last(), Letter.MISSING), behindSinceMs).mapEmpty();
  }

  private Future<Boolean> storeBefore(List<Received> run, long waitedMs) {
    return storing
        .store()
        .apply(run)
        .compose(
            outcome ->
                // The end of the epoch before is missing as well.
                outcome instanceof Outcome.Early early
                    ? close(missing(early), nowMs() - waitedMs)
                    : Future.succeededFuture(true));
  }

  private boolean isStopping() {
    return storing.stopping().getAsBoolean();
  }

  private static Future<Void> done() {
    return Future.succeededFuture();
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}

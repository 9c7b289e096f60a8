package io.seckill.consumer.store;

import io.seckill.common.id.ShardRef;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.db.SqlFailures;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets entries into MySQL, whatever it takes: the one place that tries again. A failure that says
 * nothing about the data is tried again whole, with backoff and jitter, for as long as it takes; a
 * refusal for good is halved until one entry stands alone, and that one becomes a dead letter. What
 * fails for no known reason is halved too, and what then still fails alone becomes one when it was
 * given out too often, by {@link Deliveries}, and it is seen that others can be stored: what every
 * entry fails for is our own fault, and waits until it is mended.
 *
 * <p>Belongs to one event loop.
 */
public final class LogStore {

  private static final Logger LOG = LoggerFactory.getLogger(LogStore.class);

  private static final long FIRST_PAUSE_MS = 20;

  /**
   * Another consumer's row is found by the next try. A key that is in the way for longer is not
   * another consumer's.
   */
  private static final int MAX_DUPLICATES = 20;

  /**
   * An engine claims an epoch before it writes the first entry of it, so an unknown epoch is known
   * at once or never: these tries take some seconds, more than a transaction that is on its way.
   */
  private static final int MAX_UNKNOWN_EPOCHS = 8;

  /**
   * An entry may have been given out often before it came here for the first time: because a
   * consumer or a connection died, or because storing was slow. So beside the count it has to fail
   * alone, before our eyes, this often.
   */
  private static final int MIN_FAILURES = 3;

  /** What fails for no known reason is our own fault: waiting longer does not mend it. */
  private static final long UNEXPLAINED_PAUSE_MS = 100;

  private final Vertx vertx;

  private final BatchStore store;
  private final ConsumerMetrics metrics;
  private final Patience patience;
  private final LogRate logRate = new LogRate();

  /** Runs that were stored here and were not only letters. */
  private long storedRuns;

  /**
   * How long to try.
   *
   * @param retryMaxMs the longest pause between tries
   * @param maxDeliveries how often an entry is given out that fails alone and for no known reason
   * @param deliveries counts that
   * @param stopping becomes true when nothing is to be tried again
   */
  public record Patience(
      long retryMaxMs, int maxDeliveries, Deliveries deliveries, BooleanSupplier stopping) {}

  /** Makes the store. */
  public LogStore(Vertx vertx, BatchStore store, ConsumerMetrics metrics, Patience patience) {
    this.vertx = vertx;
    this.store = store;
    this.metrics = metrics;
    this.patience = patience;
  }

  /** The store was told to stop between two tries; nothing of the run is lost. */
  public static final class StoppedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoppedException() {
      super("stopping", null, false, false);
    }
  }

  /**
   * Cuts changes into runs that one transaction can take: one epoch, numbers without a gap. A run
   * may end within a stream entry.
   *
   * @param entries in any order; the same number twice counts once, the earlier in the list
   * @param atMost how long a run may be, 1 or more
   */
  public static List<List<Received>> runs(List<Received> entries, int atMost) {
    List<Received> sorted = new ArrayList<>(entries);
    sorted.sort(Received::compare);
    List<List<Received>> runs = new ArrayList<>(1);
    Received last = null;
    for (Received entry : sorted) {
      if (last != null && Received.compare(last, entry) == 0) {
        continue;
      }
      boolean isFull = last != null && runs.get(runs.size() - 1).size() >= atMost;
      if (last == null || isFull || !follows(last, entry)) {
        runs.add(new ArrayList<>());
      }
      runs.get(runs.size() - 1).add(entry);
      last = entry;
    }
    return runs;
  }

  private static boolean follows(Received last, Received entry) {
    return last.place() != null
        && entry.place() != null
        && last.place().epoch() == entry.place().epoch()
        && last.place().seq() + 1 == entry.place().seq();
  }

  /**
   * Stores one run of {@link #runs}.
   *
   * @return Stored when every entry of it is in MySQL, in whatever form; Early when an entry before
   *     the run, or in it, has to come first. Fails only with {@link StoppedException}, and when an
   *     entry that nobody can store cannot be counted: then it is to be read again
   */
  public Future<Outcome> store(ShardRef shard, List<Received> run) {
    return store(shard, run, storedRuns);
  }

  private Future<Outcome> store(ShardRef shard, List<Received> run, long storedBefore) {
    Promise<Outcome> promise = Promise.promise();
    attempt(shard, run, new Tries(0, 0, storedBefore), promise);
    return promise.future();
  }

  /**
   * Tries so far.
   *
   * @param all tries
   * @param unexplained tries of one entry alone that failed for no known reason
   * @param storedBefore how many runs had been stored before that was begun which this is a part of
   */
  private record Tries(int all, int unexplained, long storedBefore) {

    Tries again(int nowUnexplained) {
      return new Tries(all + 1, nowUnexplained, storedBefore);
    }
  }

  private void attempt(ShardRef shard, List<Received> run, Tries tries, Promise<Outcome> promise) {
    long startedAt = System.nanoTime();
    Future<Outcome> once;
    try {
      once = store.store(shard, run);
    } catch (RuntimeException | Error e) {
      once = Future.failedFuture(e);
    }
    once.onComplete(
        result -> {
          if (result.succeeded()) {
            if (result.result() instanceof Outcome.Stored stored) {
              metrics.stored(run.size(), stored, System.nanoTime() - startedAt);
              if (stored.letters() + stored.repeated() < run.size()) {
                storedRuns++;
              }
            }
            promise.complete(result.result());
          } else {
            failed(shard, run, tries, promise, result.cause());
          }
        });
  }

  private void failed(
      ShardRef shard,
      List<Received> run,
      Tries tries,
      Promise<Outcome> promise,
      Throwable failure) {
    if (patience.stopping().getAsBoolean()) {
      // What fails now may fail because everything is being closed.
      promise.fail(new StoppedException());
      return;
    }
    Verdict verdict = verdictOf(failure, tries);
    if (verdict == Verdict.FOREIGN) {
      storeForeign(shard, run, failure).onComplete(promise);
      return;
    }
    if (verdict == Verdict.REFUSED || verdict == Verdict.UNEXPLAINED) {
      if (run.size() > 1) {
        halve(shard, run, tries.storedBefore(), promise);
      } else if (verdict == Verdict.REFUSED || run.get(0).letter() != null) {
        bury(shard, run.get(0), failure, promise);
      } else {
        countAgain(shard, run, tries, promise, failure);
      }
      return;
    }
    metrics.retried(verdict == Verdict.CONFLICT ? "conflict" : "transient");
    logSometimes(shard, run, failure);
    vertx.setTimer(
        pauseMs(tries.all()), id -> attempt(shard, run, tries.again(tries.unexplained()), promise));
  }

  /** One entry alone that nobody can store, and nobody knows why. */
  private void countAgain(
      ShardRef shard,
      List<Received> run,
      Tries tries,
      Promise<Outcome> promise,
      Throwable failure) {
    metrics.retried("unexplained");
    logSometimes(shard, run, failure);
    int failures = tries.unexplained() + 1;
    Received entry = run.get(0);
    patience
        .deliveries()
        .again(entry.place())
        .compose(
            deliveries ->
                deliveries >= patience.maxDeliveries() && failures >= MIN_FAILURES
                    ? canStoreOthers(shard, entry, tries)
                    : Future.succeededFuture(false))
        .onFailure(promise::fail)
        .onSuccess(
            isPoison -> {
              if (isPoison) {
                bury(shard, entry, failure, promise);
              } else {
                vertx.setTimer(
                    Math.min(patience.retryMaxMs(), UNEXPLAINED_PAUSE_MS),
                    id -> attempt(shard, run, tries.again(failures), promise));
              }
            });
  }

  /**
   * Whether it is this entry that cannot be stored, and not any: another one was stored since the
   * run that it came with was begun, or one behind it could be, or there is none.
   */
  private Future<Boolean> canStoreOthers(ShardRef shard, Received entry, Tries tries) {
    if (storedRuns > tries.storedBefore()) {
      return Future.succeededFuture(true);
    }
    return patience
        .deliveries()
        .behind(entry.place())
        .compose(
            behind ->
                behind.isEmpty()
                    ? Future.succeededFuture(true)
                    // Another one each time: the next may be as bad.
                    : store
                        .canStore(shard, behind.get(tries.all() % behind.size()))
                        .otherwise(false));
  }

  private long pauseMs(int tries) {
    long top = Math.min(patience.retryMaxMs(), FIRST_PAUSE_MS << Math.min(tries, 20));
    return top / 2 + ThreadLocalRandom.current().nextLong(top / 2 + 1) + 1;
  }

  /** The halves in their order, because entries are stored in the order of the log. */
  private void halve(
      ShardRef shard, List<Received> run, long storedBefore, Promise<Outcome> promise) {
    int middle = run.size() / 2;
    store(shard, run.subList(0, middle), storedBefore)
        .compose(
            left ->
                left instanceof Outcome.Stored first
                    ? store(shard, run.subList(middle, run.size()), storedBefore)
                        .map(
                            right ->
                                right instanceof Outcome.Stored second ? first.plus(second) : right)
                    : Future.succeededFuture(left))
        .onComplete(promise);
  }

  private void bury(ShardRef shard, Received entry, Throwable failure, Promise<Outcome> promise) {
    if (entry.letter() != null) {
      // A letter is refused by nothing; what fails here is not its content.
      LOG.error("a dead letter of shard {} cannot be stored: {}", shard, entry.id(), failure);
      vertx.setTimer(patience.retryMaxMs(), id -> store(shard, List.of(entry)).onComplete(promise));
      return;
    }
    String reason = reasonOf(failure);
    LOG.warn(
        "entry {} of shard {} becomes a dead letter: {}: {}",
        entry.id(),
        shard,
        reason,
        failure.getMessage());
    store(shard, List.of(entry.asLetter(reason, failure.getMessage()))).onComplete(promise);
  }

  private static String reasonOf(Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.reason();
    }
    return SqlFailures.isData(failure) ? Letter.DATA : Letter.ERROR;
  }

  /**
   * Stores entries that were made by hand as foreign letters, which stand for no number.
   *
   * @param failure says why they are not ours
   */
  public Future<Outcome> storeForeign(ShardRef shard, List<Received> run, Throwable failure) {
    LOG.error(
        "{} entries of shard {} from {} are not ours: {}",
        run.size(),
        shard,
        run.get(0).id(),
        failure.getMessage());
    Future<Outcome> all = Future.succeededFuture(new Outcome.Stored(0, 0, 0, 0));
    for (Received entry : run) {
      Received foreign = entry.asForeign(failure.getMessage());
      all =
          all.compose(
              before ->
                  store(shard, List.of(foreign))
                      .map(
                          next ->
                              next instanceof Outcome.Stored stored
                                  ? ((Outcome.Stored) before).plus(stored)
                                  : next));
    }
    return all;
  }

  private enum Verdict {
    FOREIGN,
    CONFLICT,
    TRANSIENT,
    REFUSED,
    UNEXPLAINED
  }

  private static Verdict verdictOf(Throwable failure, Tries tries) {
    if (failure instanceof RefusedException || SqlFailures.isData(failure)) {
      return Verdict.REFUSED;
    }
    if (failure instanceof EpochUnknownException) {
      return tries.all() >= MAX_UNKNOWN_EPOCHS ? Verdict.FOREIGN : Verdict.TRANSIENT;
    }
    if (SqlFailures.isDuplicate(failure) && tries.all() >= MAX_DUPLICATES) {
      return Verdict.UNEXPLAINED;
    }
    if (SqlFailures.isConflict(failure) || failure instanceof StoredMeanwhileException) {
      return Verdict.CONFLICT;
    }
    // What the server or the way to it says about anything but the values is not the entry's fault;
    // what our own code throws may be.
    return SqlFailures.isUnexplained(failure) && !(failure instanceof ShardUnknownException)
        ? Verdict.UNEXPLAINED
        : Verdict.TRANSIENT;
  }

  private void logSometimes(ShardRef shard, List<Received> run, Throwable failure) {
    if (logRate.allows()) {
      LOG.warn(
          "cannot store {} entries of shard {} from {} now, trying again: {} {}",
          run.size(),
          shard,
          run.get(0).id(),
          SqlFailures.nameOf(failure),
          failure.getMessage());
    }
  }
}

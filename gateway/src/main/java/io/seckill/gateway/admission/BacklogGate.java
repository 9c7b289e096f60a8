package io.seckill.gateway.admission;

import io.seckill.common.bus.Backlog;
import io.seckill.common.error.ErrorCode;
import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.BoardStore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Purchases follow what becomes of them. Redis sells faster than MySQL stores, and goes on selling
 * while MySQL is away; but a win that is stored hours later helps nobody, and the logs have a
 * bound.
 *
 * <ul>
 *   <li>Up to {@code admission.maxDrainMs} of storing ahead: everybody passes.
 *   <li>Beyond it purchases pass at the rate at which changes are being stored, and ever fewer: at
 *       twice the bound {@value #FLOOR_PER_SECOND} a second. However many gateways there are, and
 *       each lets in what all together may, so the logs settle somewhere below twice the bound. The
 *       rest are BUSY.
 *   <li>When a log is {@linkplain Backlog#nearlyFull nearly full} nobody passes: UNAVAILABLE.
 * </ul>
 *
 * <p>It opens by itself as the logs are stored. Those who were refused are told to come back at
 * different times, so they do not come as one. Only wins grow a log, so a purchase that won nothing
 * {@linkplain #giveBack gives back} what it took: losers get their answer. Whoever joins a waitlist
 * is an entry of a log too, and passes as a purchase does.
 *
 * <p>Safe for all threads; shared by all instances of a process.
 */
public final class BacklogGate {

  /** So many pass in any case short of a full log: what they meet is how things are. */
  private static final int FLOOR_PER_SECOND = 1;

  /** Purchases pass together that would otherwise pass in this time: some batches of the engine. */
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int RETRY_MAX_SECONDS = 5;

  private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

  private final BoardStore board;
  private final long maxDrainMs;
  private final LongSupplier nanoTime;

  /** As in {@link TokenBucket}; here the rate is another one with each board. */
  private final AtomicLong freeAtNanos;

  /**
   * Makes an open gate.
   *
   * @param board tells of the backlog
   * @param maxDrainMs time to store what waits up to which everybody passes
   * @param nanoTime a monotonic clock in nanoseconds
   */
  BacklogGate(BoardStore board, long maxDrainMs, LongSupplier nanoTime) {
    this.board = board;
    this.maxDrainMs = maxDrainMs;
    this.nanoTime = nanoTime;
    freeAtNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /** Lets a purchase pass, or says why not; null when it passes. */
  public Refusal tryPass() {
    Backlog backlog = backlog();
    if (backlog.nearlyFull()) {
      return refusal(ErrorCode.UNAVAILABLE);
    }
    if (backlog.drainMs() <= maxDrainMs) {
      return null;
    }
    long now = nanoTime.getAsLong();
    long intervalNanos = intervalNanos(backlog);
    long mostNanos = Math.max(intervalNanos, BURST_NANOS);
    while (true) {
      long freeAt = freeAtNanos.get();
      // Differences, not values: the clock may wrap around.
      long debtNanos = Math.max(freeAt - now, 0) + intervalNanos;
      if (debtNanos > mostNanos) {
        return refusal(ErrorCode.BUSY);
      }
      if (freeAtNanos.compareAndSet(freeAt, now + debtNanos)) {
        return null;
      }
    }
  }

  /** A purchase that passed will not grow the log: another one may pass. */
  public void giveBack() {
    Backlog backlog = backlog();
    long now = nanoTime.getAsLong();
    // Where the gate was open when it passed, nothing was taken.
    if (backlog.drainMs() > maxDrainMs && freeAtNanos.get() - now > 0) {
      freeAtNanos.addAndGet(-intervalNanos(backlog));
    }
  }

  private Backlog backlog() {
    BoardSnapshot known = board.snapshot();
    return known == null ? Backlog.NONE : known.backlog();
  }

  /** Time between two purchases: from the pace of storing at the bound to the floor at twice it. */
  private long intervalNanos(Backlog backlog) {
    double share = Math.max(0, 2 - (double) backlog.drainMs() / maxDrainMs);
    double perSecond = Math.max(FLOOR_PER_SECOND, share * backlog.storedPerSecond());
    return Math.max(1, (long) (NANOS / perSecond));
  }

  private static Refusal refusal(ErrorCode code) {
    int seconds = ThreadLocalRandom.current().nextInt(RETRY_MAX_SECONDS) + 1;
    return new Refusal(Layer.BACKLOG, code, TimeUnit.SECONDS.toMillis(seconds));
  }
}

package io.seckill.consumer.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How fast a process may store: changes take their turn one run after the other, each when the ones
 * before it are paid for. Time that was not used is not saved up, so MySQL never sees more in a
 * second than the limit and one run.
 *
 * <p>Safe for all threads; shared by all instances of a process.
 */
final class WritePace {

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int perSecond;
  private final LongSupplier nanoTime;
  private final AtomicLong paidAtNanos;

  /**
   * Makes a pace at which nothing waits yet.
   *
   * @param perSecond changes in a second; 0 for no limit
   * @param nanoTime a monotonic clock in nanoseconds
   */
  WritePace(int perSecond, LongSupplier nanoTime) {
    this.perSecond = perSecond;
    this.nanoTime = nanoTime;
    paidAtNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /**
   * How many changes of a shard to take at once: no more than wait a second for their turn when all
   * shards have as many, because what is held for long is taken over by another process.
   */
  int batchSize(int configured, int shards) {
    return perSecond == 0 ? configured : Math.max(1, Math.min(configured, perSecond / shards));
  }

  /**
   * Takes a turn for a run of changes.
   *
   * @return milliseconds until the run may be stored, 0 for at once
   */
  long take(int changes) {
    if (perSecond == 0) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    long costNanos = costNanos(changes);
    long before =
        paidAtNanos.getAndUpdate(
            // Differences, not values: the clock may wrap around.
            paidAt -> (paidAt - now > 0 ? paidAt : now) + costNanos);
    long waitNanos = Math.max(before - now, 0);
    // Rounded up: a turn that comes early is one too many.
    return TimeUnit.NANOSECONDS.toMillis(waitNanos + TimeUnit.MILLISECONDS.toNanos(1) - 1);
  }

  /** The run was not stored after all. */
  void giveBack(int changes) {
    if (perSecond > 0) {
      paidAtNanos.addAndGet(-costNanos(changes));
    }
  }

  private long costNanos(int changes) {
    return Math.round(changes * NANOS / perSecond);
  }
}

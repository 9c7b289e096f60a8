package io.seckill.gateway.admission;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket in one number: the generic cell rate algorithm keeps the "theoretical arrival
 * time" at which the bucket would be full again. Lock-free and safe for any number of threads.
 * Refused calls cost nothing, so hammering never lengthens the wait.
 *
 * <p>Time is handed in: nanoseconds of any monotonic clock, the same for all calls.
 *
 * <p>Source of the idea: ITU-T I.371, "generic cell rate algorithm".
 */
public final class TokenBucket {

  /** Most tokens that come in a second, and that fit. */
  static final int MAX = 10_000_000;

  private final long intervalNanos;
  private final long capacityNanos;
  private final AtomicLong fullAtNanos;

  /**
   * Makes a full bucket.
   *
   * @param perSecond tokens that come in a second, 1 … {@value #MAX}
   * @param burst tokens that fit, 1 … {@value #MAX}
   * @param nowNanos the clock now
   */
  public TokenBucket(int perSecond, int burst, long nowNanos) {
    intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    capacityNanos = intervalNanos * burst;
    fullAtNanos = new AtomicLong(nowNanos);
  }

  /**
   * Takes one token when there is one.
   *
   * @param nowNanos the clock now
   * @return tokens that are left, 0 or more; when none was there, minus the nanoseconds until one
   *     comes
   */
  public long tryTake(long nowNanos) {
    while (true) {
      long fullAt = fullAtNanos.get();
      // Differences, not values: the clock may wrap around.
      long debt = Math.max(fullAt - nowNanos, 0) + intervalNanos;
      if (debt > capacityNanos) {
        return capacityNanos - debt;
      }
      if (fullAtNanos.compareAndSet(fullAt, nowNanos + debt)) {
        return (capacityNanos - debt) / intervalNanos;
      }
    }
  }

  /** Gives a token back that was taken for a request which a later layer refused. */
  public void giveBack() {
    fullAtNanos.addAndGet(-intervalNanos);
  }
}

package io.seckill.gateway.admission;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.UserId;
import java.util.function.LongSupplier;

/**
 * How often one user may ask what became of him: a token bucket each, in a table of bounded size.
 * It is apart from purchases: whoever polls too fast can still buy, and a crowd that polls reaches
 * MySQL no more often than this.
 *
 * <p>Safe for all threads; shared by all instances of a process.
 */
public final class PollRate {

  private final TokenBuckets<UserId> buckets;

  /**
   * Makes an empty table.
   *
   * @param config rate, burst and size of the table
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public PollRate(SeckillConfig.Admission config, LongSupplier nanoTime) {
    buckets =
        new TokenBuckets<>(
            config.pollPerSecond(), config.pollBurst(), config.userTableSize(), nanoTime);
  }

  /**
   * Counts one question.
   *
   * @return null when it may be asked
   */
  public Refusal tryAsk(UserId user) {
    long outcome = buckets.tryTake(user);
    return outcome >= 0 ? null : Refusal.limited(Layer.POLL_RATE, -outcome);
  }
}

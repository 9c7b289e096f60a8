package io.seckill.gateway.admission;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.UserId;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How often one user may ask what became of him: a token bucket each, in a table of bounded size.
 * It is apart from purchases: whoever polls too fast can still buy, and a crowd that polls reaches
 * MySQL no more often than this.
 *
 * <p>Safe for all threads; shared by all instances of a process.
 */
public final class PollRate {

  private final LoadingCache<UserId, TokenBucket> buckets;
  private final LongSupplier nanoTime;

  /**
   * Makes an empty table.
   *
   * @param config rate, burst and size of the table
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public PollRate(SeckillConfig.Admission config, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    int perSecond = config.pollPerSecond();
    int burst = config.pollBurst();
    buckets =
        Caffeine.newBuilder()
            .maximumSize(config.userTableSize())
            // After this time a bucket is full again, so forgetting it changes nothing.
            .expireAfterAccess(Duration.ofSeconds(burst / perSecond + 1L))
            .ticker(nanoTime::getAsLong)
            .executor(Runnable::run)
            .build(user -> new TokenBucket(perSecond, burst, nanoTime.getAsLong()));
  }

  /**
   * Counts one question.
   *
   * @return null when it may be asked
   */
  public Refusal tryAsk(UserId user) {
    long outcome = buckets.get(user).tryTake(nanoTime.getAsLong());
    return outcome >= 0 ? null : Refusal.limited(Layer.POLL_RATE, -outcome);
  }
}

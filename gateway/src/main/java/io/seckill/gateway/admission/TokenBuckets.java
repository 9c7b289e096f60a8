package io.seckill.gateway.admission;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A token bucket for each of many, in a table of bounded size. Who falls out of the table starts
 * again with a full bucket; that is what a bound costs. Safe for all threads.
 *
 * @param <K> whose
 */
final class TokenBuckets<K> {

  private final LoadingCache<K, TokenBucket> buckets;
  private final LongSupplier nanoTime;

  /**
   * Makes an empty table.
   *
   * @param perSecond tokens of one bucket a second
   * @param burst tokens of a full bucket
   * @param size buckets that are remembered
   * @param nanoTime a monotonic clock in nanoseconds
   */
  TokenBuckets(int perSecond, int burst, int size, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    buckets =
        Caffeine.newBuilder()
            .maximumSize(size)
            // After this time a bucket is full again, so forgetting it changes nothing.
            .expireAfterAccess(Duration.ofSeconds(burst / perSecond + 1L))
            .ticker(nanoTime::getAsLong)
            // Housekeeping is a few steps a call; a pool of threads for it would only cost more.
            .executor(Runnable::run)
            .build(key -> new TokenBucket(perSecond, burst, nanoTime.getAsLong()));
  }

  /**
   * Takes one token.
   *
   * @return as {@link TokenBucket#tryTake}: tokens left, or minus the nanoseconds to wait
   */
  long tryTake(K key) {
    return buckets.get(key).tryTake(nanoTime.getAsLong());
  }
}

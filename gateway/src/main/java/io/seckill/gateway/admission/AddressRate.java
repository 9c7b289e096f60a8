package io.seckill.gateway.admission;

import io.seckill.common.config.SeckillConfig;
import java.util.function.LongSupplier;

/**
 * The rate of one client address: a token bucket each, in a table of bounded size. An address that
 * falls out of the table starts again with a full bucket; that is what a bound costs.
 *
 * <p>Safe for all threads; shared by all instances of a process.
 */
public final class AddressRate {

  /**
   * By default 2,000 requests a second: as many payments as a database confirms in that time, while
   * wrong signatures at that rate cost a fiftieth of a core.
   */
  private static final int CLIENTS_OF_A_SIGNER = 100;

  private final TokenBuckets<ClientAddress> buckets;
  private final RateLimitFields fields;

  /**
   * Makes an empty table.
   *
   * @param config rate, burst and size of the table
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public AddressRate(SeckillConfig.Admission config, LongSupplier nanoTime) {
    this(config, 1, nanoTime);
  }

  private AddressRate(SeckillConfig.Admission config, int clients, LongSupplier nanoTime) {
    int perSecond = Math.min(config.ipPerSecond() * clients, TokenBucket.MAX);
    int burst = Math.min(config.ipBurst() * clients, TokenBucket.MAX);
    fields = new RateLimitFields("ip", perSecond, burst);
    buckets = new TokenBuckets<>(perSecond, burst, config.ipTableSize(), nanoTime);
  }

  /**
   * An empty table for those who sign what they send. A payment provider speaks for a whole crowd
   * from one address; what this rate has to bound is the work on signatures that are wrong, some
   * ten microseconds each.
   *
   * @param config rate and burst of one client, and size of the table
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public static AddressRate ofSigners(SeckillConfig.Admission config, LongSupplier nanoTime) {
    return new AddressRate(config, CLIENTS_OF_A_SIGNER, nanoTime);
  }

  /**
   * Counts one request.
   *
   * @return as {@link TokenBucket#tryTake}: tokens left, or minus the nanoseconds to wait
   */
  public long tryTake(ClientAddress address) {
    return buckets.tryTake(address);
  }

  /** The header fields that tell a client of this limit. */
  public RateLimitFields fields() {
    return fields;
  }
}

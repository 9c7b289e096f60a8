package io.seckill.gateway.admission;

import io.vertx.core.http.HttpHeaders;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The fields {@code RateLimit-Policy} and {@code RateLimit} of
 * draft-ietf-httpapi-ratelimit-headers-10, the structured form that replaced {@code
 * RateLimit-Limit}, {@code -Remaining} and {@code -Reset}: {@code "ip";q=40;w=2} and {@code
 * "ip";r=39;t=1}.
 *
 * <p>With a token bucket both numbers follow from the tokens that are left: {@code r} is that
 * number and {@code t} the seconds until the bucket is full. So texts are made once for each number
 * and kept. Safe for all threads.
 */
public final class RateLimitFields {

  /** Larger numbers are told as this one: nobody paces himself by them. */
  private static final int MAX_TOLD = 1_000;

  private final String name;
  private final int perSecond;
  private final int burst;
  private final CharSequence policy;
  private final AtomicReferenceArray<CharSequence> byRemaining;

  RateLimitFields(String name, int perSecond, int burst) {
    this.name = name;
    this.perSecond = perSecond;
    this.burst = burst;
    policy =
        HttpHeaders.createOptimized('"' + name + "\";q=" + burst + ";w=" + secondsToFill(burst));
    byRemaining = new AtomicReferenceArray<>(Math.min(burst, MAX_TOLD) + 1);
  }

  /** The value of {@code RateLimit-Policy}. */
  public CharSequence policy() {
    return policy;
  }

  /**
   * The value of {@code RateLimit}.
   *
   * @param outcome what {@link TokenBucket#tryTake} returned
   */
  public CharSequence state(long outcome) {
    int remaining = (int) Math.min(Math.max(outcome, 0), byRemaining.length() - 1);
    CharSequence known = byRemaining.get(remaining);
    if (known == null) {
      known =
          HttpHeaders.createOptimized(
              '"' + name + "\";r=" + remaining + ";t=" + secondsToFill(burst - remaining));
      byRemaining.set(remaining, known);
    }
    return known;
  }

  private int secondsToFill(int tokens) {
    return Math.max((tokens + perSecond - 1) / perSecond, 1);
  }
}

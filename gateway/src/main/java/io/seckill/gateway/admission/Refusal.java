package io.seckill.gateway.admission;

import io.seckill.common.error.ErrorCode;
import java.util.concurrent.TimeUnit;

/**
 * A "no" of an admission layer.
 *
 * @param layer which layer
 * @param code why
 * @param retryAfterMs when a retry makes sense, milliseconds; 0 when nothing is said
 */
public record Refusal(Layer layer, ErrorCode code, long retryAfterMs) {

  /** A "no" that says nothing of a retry. */
  static Refusal of(Layer layer, ErrorCode code) {
    return new Refusal(layer, code, 0);
  }

  /** A rate that is used up for so many nanoseconds. */
  static Refusal limited(Layer layer, long waitNanos) {
    return new Refusal(
        layer, ErrorCode.RATE_LIMITED, Math.max(TimeUnit.NANOSECONDS.toMillis(waitNanos), 1));
  }
}

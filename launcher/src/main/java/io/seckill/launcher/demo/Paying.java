package io.seckill.launcher.demo;

import java.time.Duration;

/**
 * How a crowd pays.
 *
 * @param ratio the share of buyers who pay what they win, 0 … 1; the others let it run out
 * @param timeout the time to pay, a second to an hour
 */
public record Paying(double ratio, Duration timeout) {

  /** Checks the ranges. */
  public Paying {
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException("pay-ratio must be 0 to 1, not " + ratio);
    }
    if (timeout.toSeconds() < 1 || timeout.toSeconds() > 3_600) {
      throw new IllegalArgumentException(
          "pay-timeout must be 1 to 3600, not " + timeout.toSeconds());
    }
  }
}

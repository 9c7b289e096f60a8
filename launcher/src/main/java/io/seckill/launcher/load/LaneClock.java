package io.seckill.launcher.load;

import org.HdrHistogram.Histogram;

/** How long answers took. For one event loop. */
final class LaneClock {

  private static final long MAX_US = 120_000_000;

  private final Histogram times = new Histogram(MAX_US, 3);
  private long firstSendNs = Long.MAX_VALUE;
  private long lastAnswerNs = Long.MIN_VALUE;

  void sent(long nowNs) {
    if (firstSendNs == Long.MAX_VALUE) {
      firstSendNs = nowNs;
    }
  }

  void answered(long sentNs, long nowNs) {
    lastAnswerNs = nowNs;
    times.recordValue(Math.min((nowNs - sentNs) / 1_000, MAX_US));
  }

  /** Microseconds. */
  Histogram times() {
    return times;
  }

  long firstSendNs() {
    return firstSendNs;
  }

  long lastAnswerNs() {
    return lastAnswerNs;
  }
}

package io.seckill.launcher.load;

import org.HdrHistogram.Histogram;

/**
 * How long answers took, milliseconds.
 *
 * @param p50 half of them were this fast
 * @param p95 95 of 100
 * @param p99 99 of 100
 * @param p999 999 of 1,000
 * @param max the slowest
 */
public record Latencies(double p50, double p95, double p99, double p999, double max) {

  private static final double US_PER_MS = 1_000.0;

  /** Of a histogram in microseconds; all 0 when it is empty. */
  static Latencies ofMicroseconds(Histogram histogram) {
    return new Latencies(
        histogram.getValueAtPercentile(50) / US_PER_MS,
        histogram.getValueAtPercentile(95) / US_PER_MS,
        histogram.getValueAtPercentile(99) / US_PER_MS,
        histogram.getValueAtPercentile(99.9) / US_PER_MS,
        histogram.getMaxValue() / US_PER_MS);
  }
}

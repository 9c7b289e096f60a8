package io.seckill.launcher.load;

import io.vertx.core.json.JsonObject;
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
  public static Latencies ofMicroseconds(Histogram histogram) {
    return new Latencies(
        histogram.getValueAtPercentile(50) / US_PER_MS,
        histogram.getValueAtPercentile(95) / US_PER_MS,
        histogram.getValueAtPercentile(99) / US_PER_MS,
        histogram.getValueAtPercentile(99.9) / US_PER_MS,
        histogram.getMaxValue() / US_PER_MS);
  }

  /** As it is printed, with three digits after the point. */
  public JsonObject json() {
    return new JsonObject()
        .put("p50", rounded(p50))
        .put("p95", rounded(p95))
        .put("p99", rounded(p99))
        .put("p999", rounded(p999))
        .put("max", rounded(max));
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}

package io.seckill.launcher.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ours beside a baseline, round by round. The ratio is the median of the rounds' ratios: what
 * disturbs a machine for a while disturbs both sides of a round.
 *
 * @param ours a second, of each round
 * @param baseline a second, of the same rounds
 */
record Comparison(List<Double> ours, List<Double> baseline) {

  /** Copies the lists; they are of one length. */
  Comparison {
    ours = List.copyOf(ours);
    baseline = List.copyOf(baseline);
  }

  double perSecond() {
    return median(ours);
  }

  double baselinePerSecond() {
    return median(baseline);
  }

  double ratio() {
    return median(ratios());
  }

  private List<Double> ratios() {
    return IntStream.range(0, ours.size())
        .filter(i -> baseline.get(i) > 0)
        .mapToObj(i -> ours.get(i) / baseline.get(i))
        .toList();
  }

  /** 0 of nothing. */
  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int n = sorted.length;
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }

  JsonObject json() {
    return new JsonObject()
        .put("perSecond", Math.round(perSecond()))
        .put("baselinePerSecond", Math.round(baselinePerSecond()))
        .put("ratio", Math.round(ratio() * 1_000) / 1_000.0)
        .put(
            "ratios",
            new JsonArray(
                ratios().stream().map(ratio -> Math.round(ratio * 1_000) / 1_000.0).toList()));
  }
}

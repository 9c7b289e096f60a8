package io.seckill.launcher.bench;

import io.seckill.launcher.RunStamp;
import io.seckill.launcher.demo.Figure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What every report ends with.
 *
 * @param verdict of everything that was sold
 * @param buyers what those were told whose purchases count for the speed
 * @param redisVersion as the server says it
 */
record BenchEnd(BenchVerdict verdict, Tally buyers, String redisVersion) {

  /**
   * The verdict and what it rests on, and what it was measured on.
   *
   * @param mode of the bench
   * @param perSecond what it is about
   */
  JsonObject json(String mode, double perSecond, List<Figure> figures) {
    return verdict
        .json()
        .put("mode", mode)
        .put("throughputPerSecond", Math.round(perSecond))
        .put("latencyMs", buyers.latencies().json())
        .put("commit", RunStamp.commit())
        .put("redis", redisVersion)
        .put("machine", RunStamp.machine())
        .put("figures", new JsonArray(figures.stream().map(Figure::json).toList()));
  }

  /** The end of a table, the verdict as the last line. */
  void appendTo(StringBuilder text, List<Figure> figures) {
    BenchTable.appendEnd(text, figures, verdict, redisVersion);
  }
}

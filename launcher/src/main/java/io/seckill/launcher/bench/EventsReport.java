package io.seckill.launcher.bench;

import io.seckill.launcher.demo.Figure;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code bench events} shows at its end.
 *
 * @param options what was asked for
 * @param latency how long news took
 * @param many the same with as many streams as were wanted at most
 * @param end what was sold, and on what
 */
public record EventsReport(EventsBenchOptions options, Part latency, Part many, BenchEnd end) {

  /** Where the figures that this project has goals for begin; below they say nothing. */
  private static final int STREAMS_FOR_FIGURES = 5_000;

  private static final double P99_GOAL_MS = 200;
  private static final double STREAMS_GOAL = 10_000;

  /**
   * One part.
   *
   * @param streams as many as there should be
   * @param open streams at once
   * @param heard owners who heard that their orders are stored
   * @param latencyMs from the transaction to the buyer
   */
  record Part(int streams, int open, int heard, JsonObject latencyMs) {

    JsonObject json() {
      return new JsonObject().put("open", open).put("heard", heard).put("latencyMs", latencyMs);
    }

    /** Whether the latencies are those of all. */
    boolean isComplete() {
      return heard == streams;
    }

    double p99() {
      return latencyMs.getDouble("p99");
    }
  }

  /** Whether the audit found nothing, and all heard of their orders. */
  public boolean passed() {
    return end.verdict().passed();
  }

  /** One object: the verdict and what it rests on, then what was measured. */
  public JsonObject json() {
    return end.json("events", options.perSecond(), figures())
        .put("events", latency.json())
        .put("many", many.json())
        .put("perSecond", options.perSecond());
  }

  /**
   * The numbers that have a goal, as far as the sizes are those that the goals speak of. Without a
   * p99 when somebody did not hear: it would be that of the lucky ones.
   */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    if (options.streams() >= STREAMS_FOR_FIGURES && latency.isComplete()) {
      figures.add(Figure.atMost("statusP99", latency.p99(), "ms", P99_GOAL_MS));
    }
    if (options.most() >= STREAMS_GOAL) {
      figures.add(
          Figure.atLeast("streams", Math.min(many.open(), many.heard()), "streams", STREAMS_GOAL));
    }
    return figures;
  }

  /** The same for people: a table, the reasons if any, the verdict as the last line. */
  public String text() {
    StringBuilder text = new StringBuilder("\n");
    part(text, latency);
    part(text, many);
    end.appendTo(text, figures());
    return text.toString();
  }

  private void part(StringBuilder text, Part part) {
    JsonObject ms = part.latencyMs();
    text.append(
        "  %-22s p50 %.0f  p99 %.0f  max %.0f ms until %,d owners heard, %,d orders a second%n"
            .formatted(
                "%,d streams".formatted(part.open()),
                ms.getDouble("p50"),
                ms.getDouble("p99"),
                ms.getDouble("max"),
                part.heard(),
                options.perSecond()));
  }
}

package io.seckill.launcher.bench;

import io.seckill.launcher.demo.Figure;
import io.seckill.launcher.load.Latencies;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code bench releases} shows at its end.
 *
 * @param options what was asked for
 * @param measured how long it took
 * @param end what was sold, and on what
 */
public record ReleasesReport(ReleasesBenchOptions options, Measured measured, BenchEnd end) {

  /** With fewer orders the first figure says nothing. */
  private static final int ORDERS_FOR_FIGURES = 100_000;

  private static final double RELEASED_GOAL_S = 60;
  private static final double LATE_GOAL_S = 2;

  /**
   * How long it took.
   *
   * @param seconds until the last unit of all that were due at once was back
   * @param lateMs how long after its time to pay the latest unit of few was back
   * @param saleBefore what buyers of the sale beside were told while nothing was due
   * @param saleDuring and while it was
   */
  record Measured(double seconds, double lateMs, Tally saleBefore, Tally saleDuring) {

    /** Why it is a FAIL: without a sale beside, nothing was measured that a sale would feel. */
    List<String> reasons() {
      List<String> reasons = new ArrayList<>();
      addIfIdle(reasons, saleBefore, "nothing was due");
      addIfIdle(reasons, saleDuring, "units came back");
      return reasons;
    }

    private static void addIfIdle(List<String> reasons, Tally sale, String phase) {
      if (sale.accepted() == 0) {
        reasons.add("the sale beside sold nothing while %s: %s".formatted(phase, sale.refused()));
      }
    }
  }

  /** Whether the audit found nothing, and all that came back could be bought. */
  public boolean passed() {
    return end.verdict().passed();
  }

  /** One object: the verdict and what it rests on, then what was measured. */
  public JsonObject json() {
    return end.json("releases", perSecond(), figures())
        .put(
            "releases",
            new JsonObject()
                .put("orders", options.orders())
                .put("seconds", rounded(measured.seconds()))
                .put("perSecond", Math.round(perSecond()))
                .put("few", options.few())
                .put("fewLateMs", Math.round(measured.lateMs())))
        .put(
            "sale",
            new JsonObject()
                .put("askedPerSecond", options.salePerSecond())
                .put("winsPerSecond", Math.round(winsPerSecond(measured.saleDuring())))
                .put("beforeMs", measured.saleBefore().latencies().json())
                .put("duringMs", measured.saleDuring().latencies().json()))
        .put("shards", options.shards());
  }

  private double perSecond() {
    return options.orders() / measured.seconds();
  }

  private static double winsPerSecond(Tally tally) {
    return tally.seconds() > 0 ? tally.accepted() / tally.seconds() : 0;
  }

  /** The numbers that have a goal, as far as the sizes are those that the goals speak of. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    if (options.orders() >= ORDERS_FOR_FIGURES) {
      figures.add(Figure.atMost("releasedWithin", measured.seconds(), "s", RELEASED_GOAL_S));
    }
    figures.add(Figure.atMost("fewLate", measured.lateMs() / 1_000, "s", LATE_GOAL_S));
    return figures;
  }

  /** The same for people: a table, the reasons if any, the verdict as the last line. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%n  %-22s %.1f s for %,d orders, %,.0f a second, %d shard(s)%n"
            .formatted(
                "due at once",
                measured.seconds(),
                options.orders(),
                perSecond(),
                options.shards()));
    text.append(
        "  %-22s %.0f ms late at most, of %d orders%n"
            .formatted("due now and then", measured.lateMs(), options.few()));
    sale(text, "the sale, alone", measured.saleBefore());
    sale(text, "… beside releases", measured.saleDuring());
    end.appendTo(text, figures());
    return text.toString();
  }

  private static void sale(StringBuilder text, String name, Tally tally) {
    Latencies ms = tally.latencies();
    text.append(
        "  %-22s %,.0f wins a second; p50 %.2f  p99 %.2f  max %.1f ms%n"
            .formatted(name, winsPerSecond(tally), ms.p50(), ms.p99(), ms.max()));
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}

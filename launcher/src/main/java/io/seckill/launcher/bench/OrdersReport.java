package io.seckill.launcher.bench;

import io.seckill.launcher.demo.Figure;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What {@code bench orders} shows at its end.
 *
 * @param options what was asked for
 * @param vsSingle stored orders a second beside one INSERT for each order
 * @param vsBare beside a bare multi-row loop
 * @param end what was sold, and on what
 */
public record OrdersReport(
    OrdersBenchOptions options, Comparison vsSingle, Comparison vsBare, BenchEnd end) {

  private static final double ORDERS_GOAL = 20_000;
  private static final double SINGLE_GOAL = 10;
  private static final double BARE_GOAL = 0.6;

  /** Whether the audit found nothing. */
  public boolean passed() {
    return end.verdict().passed();
  }

  /** One object: the verdict and what it rests on, then what was measured. */
  public JsonObject json() {
    return end.json("orders", vsBare.perSecond(), figures())
        .put("ordersVsSingle", vsSingle.json())
        .put("ordersVsBare", vsBare.json())
        .put("shards", options.shards())
        .put("rounds", options.rounds())
        .put("orders", options.orders());
  }

  /** The numbers that have a goal. */
  List<Figure> figures() {
    return List.of(
        Figure.atLeast("ordersPerSecond", vsBare.perSecond(), "orders/s", ORDERS_GOAL),
        Figure.atLeast("ordersVsSingle", vsSingle.ratio(), "times", SINGLE_GOAL),
        Figure.atLeast("ordersVsBare", vsBare.ratio(), "times", BARE_GOAL));
  }

  /** The same for people: a table, the reasons if any, the verdict as the last line. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%n%d shard(s), medians of %d rounds of %,d orders%n%n"
            .formatted(options.shards(), options.rounds(), options.orders()));
    row(text, "stored orders", vsBare.perSecond(), "a second, each a win that was in the log");
    row(text, "a bare loop", vsBare.baselinePerSecond(), "as many rows into the same tables");
    row(text, "one by one", vsSingle.baselinePerSecond(), "one INSERT for each order");
    end.appendTo(text, figures());
    return text.toString();
  }

  private static void row(StringBuilder text, String name, double perSecond, String what) {
    text.append("  %-22s %,9.0f  %s%n".formatted(name, perSecond, what));
  }
}

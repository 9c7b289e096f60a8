package io.seckill.launcher.demo;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.WinId;
import io.seckill.launcher.RunStamp;
import io.seckill.launcher.load.AnsweredWin;
import io.seckill.launcher.load.CrowdErrors;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.Latencies;
import io.seckill.launcher.load.Waiters;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a demo shows at its end.
 *
 * @param options what was asked for
 * @param warmUp what was answered before the clock started; null without a warm-up
 * @param crowd what was answered in the sale
 * @param verdict the judgement
 * @param epochs where the wins lie
 * @param drain how wins became orders
 */
record DemoReport(
    DemoOptions options,
    CrowdRecord warmUp,
    CrowdRecord crowd,
    Verdict verdict,
    Epochs epochs,
    StorePace.Drain drain) {

  private static final double ANSWERS_GOAL = 15_000;
  private static final double P99_GOAL_MS = 50;
  private static final double STORED_GOAL = 10_000;
  private static final double BACKLOG_GOAL_S = 10;

  /** Fewer orders are stored in a moment, and say nothing of a rate. */
  private static final long MIN_ORDERS_FOR_RATE = 10_000;

  private static final long BACKLOG_ORDERS = 100_000;

  /**
   * Where wins lie, as their order ids say.
   *
   * @param shards shards that sold
   * @param lowest the lowest epoch of a win, 0 without wins
   * @param highest the highest; higher than the lowest when a shard was opened anew meanwhile
   */
  record Epochs(int shards, long lowest, long highest) {

    /** Opens the order ids of wins. */
    static Epochs of(Collection<AnsweredWin> wins, OrderIds ids) {
      Set<Integer> shards = new HashSet<>();
      LongSummaryStatistics epochs = new LongSummaryStatistics();
      for (AnsweredWin win : wins) {
        WinId id = ids.open(win.orderId()).orElse(null);
        if (id != null) {
          shards.add(id.shard().shard());
          epochs.accept(id.entry().epoch());
        }
      }
      return epochs.getCount() == 0
          ? new Epochs(0, 0, 0)
          : new Epochs(shards.size(), epochs.getMin(), epochs.getMax());
    }
  }

  /**
   * One object: the verdict and what it rests on, then speeds, then what was asked for. Where wins
   * are paid, orders of those who waited in line count in {@code accepted}; {@code requests},
   * {@code refused}, {@code answers}, {@code seconds} and what follows from them are of the rush.
   */
  JsonObject json() {
    CrowdErrors errors = crowd.errors();
    return new JsonObject()
        .put("verdict", verdict.word())
        .put("stock", options.stock())
        .put("sold", verdict.sold())
        .put("ordersStored", verdict.ordersStored())
        .put("oversold", verdict.oversold())
        .put("overLimit", verdict.overLimit())
        .put("lostWins", verdict.lostWins())
        .put("strandedUnits", verdict.strandedUnits())
        .put("requests", crowd.requests())
        .put("accepted", crowd.wins().size())
        .put("replayed", crowd.replayed())
        .put("refused", refused())
        .put("errors", verdict.errors())
        .put("throughputPerSecond", Math.round(crowd.pace().answersPerSecond()))
        .put("latencyMs", crowd.pace().latencies().json())
        .put("paid", verdict.ends().paid())
        .put("cancelled", verdict.ends().cancelled())
        .put("released", verdict.ends().released())
        .put("joined", crowd.waited().map(Waiters.Outcome::joined).orElse(0L))
        .put("promoted", crowd.waited().map(Waiters.Outcome::promoted).orElse(0L))
        .put("answers", crowd.pace().answers())
        .put("seconds", rounded(crowd.pace().seconds()))
        .put("users", options.crowd().users())
        .put("limit", options.crowd().limitPerUser())
        .put("shards", options.shards())
        .put("connections", options.play().connections())
        .put("seed", options.play().seed())
        .put(
            "errorKinds",
            new JsonObject()
                .put("serverFailures", errors.serverFailures())
                .put("brokenSockets", errors.brokenSockets())
                .put("wrongAnswers", errors.wrongAnswers())
                .put("unresolved", errors.unresolved())
                .put("unanswered", errors.unanswered()))
        .put("warmUp", warmUpJson())
        .put(
            "epochs",
            new JsonObject()
                .put("shards", epochs.shards())
                .put("lowest", epochs.lowest())
                .put("highest", epochs.highest()))
        .put("machine", RunStamp.machine())
        .put(
            "drain",
            new JsonObject()
                .put("orders", drain.orders())
                .put("seconds", rounded(drain.seconds()))
                .put("perSecond", Math.round(drain.perSecond()))
                .put("held", drain.held()))
        .put("figures", new JsonArray(figures().stream().map(Figure::json).toList()))
        .put("reasons", new JsonArray(verdict.reasons()));
  }

  /** The numbers that have a goal, as far as this sale was large enough to tell them. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    figures.add(
        Figure.atLeast("throughput", crowd.pace().answersPerSecond(), "answers/s", ANSWERS_GOAL));
    figures.add(Figure.below("p99", crowd.pace().latencies().p99(), "ms", P99_GOAL_MS));
    if (drain.orders() >= MIN_ORDERS_FOR_RATE) {
      figures.add(Figure.atLeast("storedPerSecond", drain.perSecond(), "orders/s", STORED_GOAL));
    }
    if (drain.held() && drain.orders() >= BACKLOG_ORDERS) {
      figures.add(Figure.below("backlogStored", drain.seconds(), "s", BACKLOG_GOAL_S));
    }
    return figures;
  }

  private JsonObject refused() {
    JsonObject refused = new JsonObject();
    byName().forEach(refused::put);
    return refused;
  }

  private Map<String, Long> byName() {
    Map<String, Long> sorted = new TreeMap<>();
    crowd.refused().forEach((ErrorCode code, Long count) -> sorted.put(code.name(), count));
    return sorted;
  }

  private JsonObject warmUpJson() {
    if (warmUp == null) {
      return null;
    }
    return new JsonObject()
        .put("answers", warmUp.pace().answers())
        .put("seconds", rounded(warmUp.pace().seconds()))
        .put("throughputPerSecond", Math.round(warmUp.pace().answersPerSecond()))
        .put("errors", warmUp.errors().total());
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }

  /** The same for people: a table, the reasons if any, the verdict as the last line. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%n%,d units for %,d buyers, at most %d each; %d shard(s), %d connections, seed %d%n%n"
            .formatted(
                options.stock(),
                options.crowd().users(),
                options.crowd().limitPerUser(),
                options.shards(),
                options.play().connections(),
                options.play().seed()));
    row(
        text,
        "requests",
        crowd.requests(),
        "%,d answers%s".formatted(crowd.pace().answers(), ofTheRush()));
    row(text, "accepted", crowd.wins().size(), "distinct orders that buyers were told of");
    row(text, "replayed", crowd.replayed(), "told again of an order they had");
    row(text, "refused", sum(), refusedText());
    row(text, "errors", verdict.errors(), "");
    text.append(System.lineSeparator());
    row(text, "sold", verdict.sold(), "units held by orders");
    row(text, "orders stored", verdict.ordersStored(), "each found again by its buyer");
    options.paying().ifPresent(paying -> paidRows(text, paying));
    row(text, "oversold", verdict.oversold(), "units (I1)");
    row(text, "over limit", verdict.overLimit(), "units (I2)");
    row(text, "lost wins", verdict.lostWins(), "(I3)");
    row(text, "stranded", verdict.strandedUnits(), "units (I4)");
    text.append(System.lineSeparator());
    row(
        text,
        "answers a second",
        Math.round(crowd.pace().answersPerSecond()),
        "over %.1f s%s%s".formatted(crowd.pace().seconds(), ofTheRush(), warmUpText()));
    Latencies ms = crowd.pace().latencies();
    text.append(
        "  %-17s p50 %.1f  p95 %.1f  p99 %.1f  p99.9 %.1f  max %.1f%n"
            .formatted("latency, ms", ms.p50(), ms.p95(), ms.p99(), ms.p999(), ms.max()));
    if (drain.held()) {
      row(
          text,
          "orders a second",
          Math.round(drain.perSecond()),
          "%,d held back until the sale was over, then stored in %.1f s"
              .formatted(drain.orders(), drain.seconds()));
    }
    text.append("  %-17s %s%n%n".formatted("machine", RunStamp.machineInWords()));
    verdict.reasons().forEach(reason -> text.append("  ").append(reason).append('\n'));
    return text.append(verdict.word()).toString();
  }

  private void paidRows(StringBuilder text, Paying paying) {
    row(
        text,
        "paid",
        verdict.ends().paid(),
        "orders; %.0f %% of the buyers pay".formatted(paying.ratio() * 100));
    row(
        text,
        "cancelled",
        verdict.ends().cancelled(),
        "orders, not paid within %d s".formatted(paying.timeout().toSeconds()));
    row(text, "released", verdict.ends().released(), "units that came back");
    crowd
        .waited()
        .ifPresent(
            waited ->
                row(
                    text,
                    "promoted",
                    waited.promoted(),
                    "of %,d who joined the waitlist; %,d still waited when all was paid"
                        .formatted(waited.joined(), waited.stillWanting().size())));
  }

  private static void row(StringBuilder text, String name, long value, String more) {
    text.append("  %-17s %,9d  %s".formatted(name, value, more).stripTrailing());
    text.append(System.lineSeparator());
  }

  private long sum() {
    return crowd.refused().values().stream().mapToLong(Long::longValue).sum();
  }

  private String refusedText() {
    return byName().entrySet().stream()
        .map(each -> "%s %,d".formatted(each.getKey(), each.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** Who waits is served at the pace at which units come back: that says nothing of a speed. */
  private String ofTheRush() {
    return options.paying().isPresent() ? " of the rush" : "";
  }

  private String warmUpText() {
    return warmUp == null
        ? ", without a warm-up"
        : ", after a warm-up of %,d answers in %.1f s"
            .formatted(warmUp.pace().answers(), warmUp.pace().seconds());
  }
}

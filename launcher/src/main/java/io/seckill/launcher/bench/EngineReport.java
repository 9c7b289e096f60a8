package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.launcher.RunStamp;
import io.seckill.launcher.demo.Figure;
import io.seckill.launcher.load.Latencies;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What {@code bench engine} shows at its end.
 *
 * @param options what was asked for
 * @param results of each durability, at least one
 * @param quiet where durability NONE was measured
 * @param rebalance where it was asked for
 * @param verdict of all sites
 */
public record EngineReport(
    EngineBenchOptions options,
    List<DurabilityRun.Result> results,
    Optional<QuietSale.Result> quiet,
    Optional<Rebalance.Result> rebalance,
    BenchVerdict verdict) {

  private static final double WINS_GOAL = 3.5;
  private static final double WINS_PIPELINED_GOAL = 1.3;
  private static final double REFUSALS_GOAL = 10;
  private static final double REFUSALS_PIPELINED_GOAL = 1.8;
  private static final double DURABLE_GOAL = 0.55;
  private static final double REBALANCE_GOAL = 1.05;
  private static final double QUIET_GOAL = 2;

  /** Copies the list. */
  public EngineReport {
    results = List.copyOf(results);
  }

  /** Whether the audit found nothing. */
  public boolean passed() {
    return verdict.passed();
  }

  private DurabilityRun.Result first() {
    return results.get(0);
  }

  /** One object: the verdict and what it rests on, then speeds, then what was asked for. */
  public JsonObject json() {
    JsonObject json = verdict.json().put("mode", "engine");
    Tally wins = first().wins().tally();
    json.put("throughputPerSecond", Math.round(first().wins().plain().perSecond()))
        .put("latencyMs", wins.latencies().json());
    putComparisons(json, first());
    JsonObject durabilities = new JsonObject();
    for (DurabilityRun.Result result : results) {
      JsonObject of = new JsonObject();
      putComparisons(of, result);
      durabilities.put(
          name(result.durability()),
          of.put("winsLatencyMs", result.wins().tally().latencies().json())
              .put("refusalsLatencyMs", result.refusals().tally().latencies().json())
              .put("winsCost", result.wins().costs().json())
              .put("refusalsCost", result.refusals().costs().json())
              .put(
                  "warmUp",
                  new JsonObject()
                      .put("answers", result.warmUp().answers())
                      .put("perSecond", Math.round(result.warmUp().perSecond()))));
    }
    json.put("durabilities", durabilities);
    quiet.ifPresent(result -> json.put("quietSale", result.json()));
    rebalance.ifPresent(result -> json.put("rebalance", result.json()));
    return json.put("shards", options.shards())
        .put("inFlight", options.inFlight())
        .put("plainConnections", EngineBenchOptions.PLAIN_CONNECTIONS)
        .put("rounds", options.size().rounds())
        .put("eachMs", options.size().each().toMillis())
        .put("commit", RunStamp.commit())
        .put("redis", first().redisVersion())
        .put("machine", RunStamp.machine())
        .put("figures", new JsonArray(figures().stream().map(Figure::json).toList()));
  }

  private static void putComparisons(JsonObject json, DurabilityRun.Result result) {
    json.put("wins", result.wins().plain().json())
        .put("winsVsPipelined", result.wins().pipelined().json())
        .put("refusals", result.refusals().plain().json())
        .put("refusalsVsPipelined", result.refusals().pipelined().json());
  }

  private Optional<DurabilityRun.Result> of(Durability durability) {
    return results.stream().filter(result -> result.durability() == durability).findFirst();
  }

  /** The numbers that have a goal, as far as they were measured. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    DurabilityRun.Result result = first();
    figures.add(ratio("wins", result.wins().plain(), WINS_GOAL));
    figures.add(ratio("winsVsPipelined", result.wins().pipelined(), WINS_PIPELINED_GOAL));
    figures.add(ratio("refusals", result.refusals().plain(), REFUSALS_GOAL));
    figures.add(
        ratio("refusalsVsPipelined", result.refusals().pipelined(), REFUSALS_PIPELINED_GOAL));
    ofNone(Durability.REPLICA)
        .ifPresent(kept -> figures.add(ratio("replicaOfNone", kept, DURABLE_GOAL)));
    ofNone(Durability.FSYNC)
        .ifPresent(kept -> figures.add(ratio("fsyncOfNone", kept, DURABLE_GOAL)));
    rebalance
        .filter(Rebalance.Result::tells)
        .ifPresent(
            moves ->
                figures.add(
                    Figure.atMost(
                        "rebalanceCost", moves.cost(), "times the time", REBALANCE_GOAL)));
    quiet.ifPresent(
        sale ->
            figures.add(Figure.atMost("quietP99Ratio", sale.p99Ratio(), "times p99", QUIET_GOAL)));
    return figures;
  }

  private static Figure ratio(String id, Comparison comparison, double goal) {
    return Figure.atLeast(id, comparison.ratio(), "times", goal);
  }

  /** Our wins with a durability beside ours with NONE, round by round. */
  private Optional<Comparison> ofNone(Durability durability) {
    return of(Durability.NONE)
        .flatMap(
            none ->
                of(durability)
                    .map(
                        other ->
                            new Comparison(
                                other.wins().plain().ours(), none.wins().plain().ours())));
  }

  /** The same for people: tables, the reasons if any, the verdict as the last line. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (DurabilityRun.Result result : results) {
      text.append(
          "%ndurability %s, %d shard(s), %d purchases under way; medians of %d rounds%n%n"
              .formatted(
                  name(result.durability()),
                  options.shards(),
                  options.inFlight(),
                  options.size().rounds()));
      text.append(
          "  %-12s %12s %18s %7s %18s %7s%n"
              .formatted("a second", "engine", "plain, 50 conns", "ratio", "pipelined", "ratio"));
      row(text, "wins", result.wins());
      row(text, "sold out", result.refusals());
      text.append("%n".formatted());
      costs(text, "wins", result.wins());
      costs(text, "sold out", result.refusals());
    }
    text.append("%n".formatted());
    quiet.ifPresent(
        sale -> {
          line(text, "quiet, alone", sale.alone());
          line(text, "… busy mix", sale.besideMix());
          line(text, "… hot sale", sale.besideHot());
        });
    rebalance.ifPresent(
        moves ->
            text.append(
                "  %-12s %,.0f wins/s with moves, %,.0f without; %,d units moved%s%n"
                    .formatted(
                        "rebalance",
                        moves.pace().perSecond(),
                        moves.pace().baselinePerSecond(),
                        moves.moved(),
                        moves.complete() ? "" : "; not every sale sold its last unit in time")));
    BenchTable.appendEnd(text, figures(), verdict, first().redisVersion());
    return text.toString();
  }

  private static void row(StringBuilder text, String name, DurabilityRun.Measured measured) {
    text.append(
        "  %-12s %,12.0f %,18.0f %7.2f %,18.0f %7.2f%n"
            .formatted(
                name,
                measured.plain().perSecond(),
                measured.plain().baselinePerSecond(),
                measured.plain().ratio(),
                measured.pipelined().baselinePerSecond(),
                measured.pipelined().ratio()));
  }

  private static void costs(StringBuilder text, String name, DurabilityRun.Measured measured) {
    Latencies ms = measured.tally().latencies();
    text.append(
        "  %-12s p50 %.2f  p99 %.2f  max %.1f ms%n".formatted(name, ms.p50(), ms.p99(), ms.max()));
    text.append("    engine     %s%n".formatted(measured.costs().engine().text()));
    text.append("    plain      %s%n".formatted(measured.costs().plain().text()));
    text.append("    pipelined  %s%n".formatted(measured.costs().pipelined().text()));
  }

  private static void line(StringBuilder text, String name, Latencies ms) {
    text.append(
        "  %-12s p50 %.2f  p99 %.2f  max %.1f ms%n".formatted(name, ms.p50(), ms.p99(), ms.max()));
  }

  private static String name(Durability durability) {
    return durability.name().toLowerCase(Locale.ROOT);
  }
}

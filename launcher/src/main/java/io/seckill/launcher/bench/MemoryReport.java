package io.seckill.launcher.bench;

import io.seckill.launcher.RunStamp;
import io.seckill.launcher.demo.Figure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code bench memory} shows at its end.
 *
 * @param options what was asked for
 * @param memory what wins cost
 * @param throughput with many receipts and a large stock
 * @param removal of the item that was sold first
 * @param run what was sold, and on what
 */
public record MemoryReport(
    MemoryBenchOptions options,
    Memory memory,
    Throughput throughput,
    ItemRemoval.Result removal,
    Run run) {

  /** Where the figures that this project has goals for begin; below they say nothing. */
  private static final int WINS_FOR_FIGURES = 1_000_000;

  private static final int MANY_FOR_FIGURES = 10_000_000;

  private static final double BYTES_GOAL = 200;
  private static final double KEPT_GOAL = 0.85;
  private static final double PAUSE_GOAL_MS = 50;

  /**
   * What wins cost, with limit 1.
   *
   * @param wins how many
   * @param before Redis' {@code used_memory} before the first, bytes
   * @param after the same when all were stored, their log entries trimmed and their windows over
   */
  record Memory(long wins, long before, long after) {

    double bytesPerWin() {
      return wins == 0 ? 0 : (double) (after - before) / wins;
    }
  }

  /**
   * Wins a second beside those of a series of items with few units and few receipts.
   *
   * @param manyReceipts of an item that many others have receipts of
   * @param largeStock of an item with a large stock
   */
  record Throughput(Comparison manyReceipts, Comparison largeStock) {}

  /**
   * The rest.
   *
   * @param winners what the buyers of the first item were told
   * @param redisVersion as the server says it
   * @param verdict of everything that was sold
   */
  record Run(Tally winners, String redisVersion, BenchVerdict verdict) {}

  /** Whether the audit found nothing. */
  public boolean passed() {
    return run.verdict().passed();
  }

  /** One object: the verdict and what it rests on, then what was measured. */
  public JsonObject json() {
    return run.verdict()
        .json()
        .put("mode", "memory")
        .put("throughputPerSecond", Math.round(run.winners().perSecond()))
        .put("latencyMs", run.winners().latencies().json())
        .put(
            "memory",
            new JsonObject()
                .put("wins", memory.wins())
                .put("usedBefore", memory.before())
                .put("usedAfter", memory.after())
                .put("bytesPerWin", rounded(memory.bytesPerWin())))
        .put("manyReceipts", throughput.manyReceipts().json().put("receipts", options.receipts()))
        .put("largeStock", throughput.largeStock().json().put("stock", options.stock()))
        .put(
            "removal",
            new JsonObject()
                .put("receipts", removal.receipts())
                .put("longestPauseMs", rounded(removal.longestPauseMs()))
                .put("longestPauseBeforeMs", rounded(removal.longestPauseBeforeMs()))
                .put("tookMs", removal.tookMs()))
        .put("rounds", options.rounds())
        .put("purchases", options.purchases())
        .put("commit", RunStamp.commit())
        .put("redis", run.redisVersion())
        .put("machine", RunStamp.machine())
        .put("figures", new JsonArray(figures().stream().map(Figure::json).toList()));
  }

  /** The numbers that have a goal, as far as the sizes are those that the goals speak of. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    if (memory.wins() >= WINS_FOR_FIGURES) {
      figures.add(Figure.atMost("bytesPerWin", memory.bytesPerWin(), "bytes", BYTES_GOAL));
      figures.add(Figure.atMost("removalPause", removal.longestPauseMs(), "ms", PAUSE_GOAL_MS));
    }
    if (options.receipts() >= MANY_FOR_FIGURES) {
      double kept = throughput.manyReceipts().ratio();
      figures.add(Figure.atLeast("throughputAtManyReceipts", kept, "times", KEPT_GOAL));
    }
    if (options.stock() >= MANY_FOR_FIGURES) {
      double kept = throughput.largeStock().ratio();
      figures.add(Figure.atLeast("throughputAtLargeStock", kept, "times", KEPT_GOAL));
    }
    return figures;
  }

  /** The same for people: a table, the reasons if any, the verdict as the last line. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%n  %-22s %,.1f bytes each, of %,d (used_memory %,d to %,d)%n"
            .formatted(
                "a win in Redis",
                memory.bytesPerWin(),
                memory.wins(),
                memory.before(),
                memory.after()));
    row(text, "%,d receipts".formatted(options.receipts()), throughput.manyReceipts());
    row(text, "a stock of %,d".formatted(options.stock()), throughput.largeStock());
    text.append(
        "  %-22s %.1f ms at most while %,d receipts went (%.1f in a second before)%n"
            .formatted(
                "another client waited",
                removal.longestPauseMs(),
                removal.receipts(),
                removal.longestPauseBeforeMs()));
    BenchTable.appendEnd(text, figures(), run.verdict(), run.redisVersion());
    return text.toString();
  }

  private static void row(StringBuilder text, String name, Comparison comparison) {
    text.append(
        "  %-22s %,.0f wins a second; with 1,000 units an item %,.0f; ratio %.3f%n"
            .formatted(
                name, comparison.perSecond(), comparison.baselinePerSecond(), comparison.ratio()));
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}

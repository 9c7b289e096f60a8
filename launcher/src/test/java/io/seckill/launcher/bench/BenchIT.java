package io.seckill.launcher.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.common.id.ItemId;
import io.seckill.launcher.command.SeckillCommand;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Stalls;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The bench, as small as it gets: what it prints, and that it can fail. No speed is asserted. */
class BenchIT {

  private static final ItemId SOLD_OUT = new ItemId(1);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  @Test
  void engineShouldPrintOneObjectAndLeaveNothingBehind() throws IOException {
    Set<String> before = leftovers();

    int exitCode =
        run(
            "bench",
            "engine",
            "--durability",
            "all",
            "--in-flight",
            "64",
            "--rounds",
            "2",
            "--seconds",
            "0.05",
            "--wins",
            "1000",
            "--warm-up",
            "0.3",
            "--rebalance-units",
            "500",
            "--json");

    assertThat(exitCode).as(err.toString()).isZero();
    JsonObject json = new JsonObject(out.toString());
    hasSoldRightly(json);
    for (String figure : List.of("wins", "winsVsPipelined", "refusals", "refusalsVsPipelined")) {
      isComparison(json.getJsonObject(figure));
      for (String durability : List.of("none", "fsync", "replica")) {
        isComparison(
            json.getJsonObject("durabilities").getJsonObject(durability).getJsonObject(figure));
      }
    }
    assertThat(idsOf(json.getJsonArray("figures")))
        .contains(
            "wins",
            "winsVsPipelined",
            "refusals",
            "refusalsVsPipelined",
            "replicaOfNone",
            "fsyncOfNone",
            "quietP99Ratio");
    assertThat(json.getJsonObject("quietSale").getJsonObject("besideHotMs").getDouble("p99"))
        .isPositive();
    assertThat(json.getJsonObject("rebalance").getInteger("shards")).isEqualTo(16);
    assertThat(json.getJsonObject("refused").getLong("SOLD_OUT")).isPositive();
    assertThat(leftovers()).isEqualTo(before);
  }

  @Test
  void memoryShouldPrintOneObjectAndLeaveNothingBehind() throws IOException {
    Set<String> before = leftovers();

    int exitCode =
        run(
            "bench",
            "memory",
            "--wins",
            "2000",
            "--receipts",
            "5000",
            "--stock",
            "100000",
            "--rounds",
            "1",
            "--purchases",
            "2000",
            "--json");

    assertThat(exitCode).as(err.toString()).isZero();
    JsonObject json = new JsonObject(out.toString());
    hasSoldRightly(json);
    assertThat(json.getJsonObject("memory").getInteger("wins")).isEqualTo(2_000);
    assertThat(json.getJsonObject("memory").getDouble("bytesPerWin"))
        .as("so few wins weigh less than what buffers come and go")
        .isLessThan(10_000);
    isComparison(json.getJsonObject("manyReceipts"));
    isComparison(json.getJsonObject("largeStock"));
    assertThat(json.getJsonObject("removal").getInteger("receipts")).isEqualTo(2_000);
    assertThat(json.getJsonObject("removal").getDouble("longestPauseMs")).isPositive();
    assertThat(json.getJsonArray("figures")).as("too small to tell").isEmpty();
    assertThat(leftovers()).isEqualTo(before);
  }

  @Test
  void ordersShouldPrintOneObjectAndLeaveNothingBehind() throws IOException {
    Set<String> before = leftovers();

    int exitCode =
        run(
            "bench",
            "orders",
            "--shards",
            "2",
            "--rounds",
            "2",
            "--orders",
            "1500",
            "--seconds",
            "0.1",
            "--json");

    assertThat(exitCode).as(err.toString()).isZero();
    JsonObject json = new JsonObject(out.toString());
    hasSoldRightly(json);
    assertThat(json.getLong("sold")).as("a warm-up of half a round").isEqualTo(3_750);
    isComparison(json.getJsonObject("ordersVsSingle"));
    isComparison(json.getJsonObject("ordersVsBare"));
    assertThat(idsOf(json.getJsonArray("figures")))
        .containsExactly("ordersPerSecond", "ordersVsSingle", "ordersVsBare");
    assertThat(leftovers()).isEqualTo(before);
  }

  @Test
  void releasesShouldPrintOneObjectAndLeaveNothingBehind() throws IOException {
    Set<String> before = leftovers();

    int exitCode =
        run(
            "bench",
            "releases",
            "--shards",
            "2",
            "--orders",
            "300",
            "--few",
            "3",
            "--sale",
            "50",
            "--json");

    assertThat(exitCode).as(err.toString()).isZero();
    JsonObject json = new JsonObject(out.toString());
    assertThat(json.getString("verdict")).isEqualTo("PASS");
    assertThat(json.getJsonArray("reasons")).isEmpty();
    assertThat(json.getLong("ordersStored")).isEqualTo(json.getLong("accepted"));
    assertThat(json.getLong("sold"))
        .as("what came back is not sold")
        .isEqualTo(json.getLong("ordersStored") - 300 - 3);
    assertThat(json.getJsonObject("releases").getDouble("seconds")).isPositive();
    assertThat(json.getJsonObject("releases").getLong("fewLateMs")).isPositive();
    assertThat(json.getJsonObject("sale").getLong("winsPerSecond")).isPositive();
    assertThat(idsOf(json.getJsonArray("figures"))).as("too few to tell").contains("fewLate");
    assertThat(leftovers()).isEqualTo(before);
  }

  @Test
  void eventsShouldPrintOneObjectAndLeaveNothingBehind() throws IOException {
    Set<String> before = leftovers();

    int exitCode =
        run("bench", "events", "--streams", "40", "--most", "60", "--sale", "100", "--json");

    assertThat(exitCode).as(err.toString()).isZero();
    JsonObject json = new JsonObject(out.toString());
    hasSoldRightly(json);
    for (Map.Entry<String, Integer> part : Map.of("events", 40, "many", 60).entrySet()) {
      JsonObject seen = json.getJsonObject(part.getKey());
      assertThat(seen.getInteger("open")).isEqualTo(part.getValue());
      assertThat(seen.getInteger("heard")).isEqualTo(part.getValue());
      assertThat(seen.getJsonObject("latencyMs").getDouble("p99")).isPositive();
    }
    assertThat(json.getJsonArray("figures")).as("too few to tell").isEmpty();
    assertThat(leftovers()).isEqualTo(before);
  }

  @Test
  void judgeShouldFailWhenTheStockWasRaisedByHand() {
    EngineBenchOptions options =
        new EngineBenchOptions(
            List.of(Durability.NONE),
            1,
            32,
            new EngineBenchOptions.Size(1, Duration.ofMillis(30), 400, Duration.ofMillis(100)),
            0);
    try (BenchSite site = BenchSite.start(folder.resolve("site"), Durability.NONE, 1);
        DurabilityRun run = new DurabilityRun(Durability.NONE, options, site)) {
      run.prepare();
      run.measureWins(0);
      site.redis().call("INCRBY", RedisKeys.forShards(1)[0].stock(SOLD_OUT), "5");

      BenchVerdict verdict = run.judge(line -> {});

      assertThat(verdict.word()).isEqualTo("FAIL");
      assertThat(verdict.reasons()).anyMatch(reason -> reason.contains("I1"));
      assertThat(verdict.json().getString("verdict")).isEqualTo("FAIL");
    }
  }

  @Test
  void benchShouldSayWhatIsOutOfRange() {
    assertThat(run("bench", "engine", "--durability", "some")).isEqualTo(2);
    assertThat(err.toString()).contains("--durability is none, fsync, replica or all");
    assertThat(run("bench", "memory", "--wins", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("wins must be 100 to");
    assertThat(run("bench", "orders", "--shards", "9")).isEqualTo(2);
    assertThat(err.toString()).contains("shards must be 1 to 4");
    assertThat(run("bench", "releases", "--orders", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("orders must be 100 to");
    assertThat(out.toString()).isEmpty();
  }

  private static void hasSoldRightly(JsonObject json) {
    assertThat(json.getString("verdict")).isEqualTo("PASS");
    assertThat(json.getJsonArray("reasons")).isEmpty();
    assertThat(json.getLong("sold"))
        .isPositive()
        .isEqualTo(json.getLong("ordersStored"))
        .isEqualTo(json.getLong("accepted"));
    assertThat(json.getLong("sold")).isLessThanOrEqualTo(json.getLong("stock"));
    for (String none : List.of("oversold", "overLimit", "lostWins", "strandedUnits")) {
      assertThat(json.getLong(none)).as(none).isZero();
    }
    // On a machine that stood still somebody may not have learned at once that he won.
    if (Stalls.calm()) {
      assertThat(json.getLong("errors")).isZero();
      assertThat(json.getLong("replayed")).isZero();
    }
    assertThat(json.getLong("requests")).isGreaterThanOrEqualTo(json.getLong("accepted"));
    assertThat(json.getLong("throughputPerSecond")).isPositive();
    assertThat(json.getJsonObject("latencyMs").fieldNames())
        .containsExactlyInAnyOrder("p50", "p95", "p99", "p999", "max");
    assertThat(json.getJsonObject("machine").getInteger("cores")).isPositive();
    assertThat(json.getString("commit")).isNotEmpty();
    assertThat(json.getString("redis")).matches("\\d+\\..*");
  }

  private static void isComparison(JsonObject comparison) {
    assertThat(comparison.getLong("perSecond")).isPositive();
    assertThat(comparison.getLong("baselinePerSecond")).isPositive();
    assertThat(comparison.getDouble("ratio")).isPositive();
  }

  private static List<String> idsOf(JsonArray figures) {
    return figures.stream()
        .map(JsonObject.class::cast)
        .peek(
            figure ->
                assertThat(figure.fieldNames())
                    .containsExactlyInAnyOrder("id", "value", "unit", "goal", "met"))
        .map(figure -> figure.getString("id"))
        .toList();
  }

  private int run(String... arguments) {
    CommandLine line = SeckillCommand.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private static Set<String> leftovers() throws IOException {
    try (Stream<Path> entries = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return entries
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith("seckill-bench-"))
          .collect(Collectors.toSet());
    }
  }
}

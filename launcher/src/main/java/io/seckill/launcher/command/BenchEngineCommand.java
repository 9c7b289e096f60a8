package io.seckill.launcher.command;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.bench.EngineBench;
import io.seckill.launcher.bench.EngineBenchOptions;
import io.seckill.launcher.bench.EngineReport;
import io.seckill.launcher.local.TemporaryStage;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill bench engine}. */
@Command(
    name = "engine",
    description = {
      "The engine, loaded over the bus, beside the articles' script on the same Redis.",
      "Runs in a temporary folder and on free ports and leaves nothing behind. The verdict is the"
          + " audit's; no speed enters it. docs/performance.md says what each figure means."
    })
public final class BenchEngineCommand extends ProgramCommand {

  private static final String ALL = "all";

  @Option(
      names = "--durability",
      paramLabel = "none|fsync|replica|all",
      defaultValue = "none",
      description = "What must have a win before it is answered (default: ${DEFAULT-VALUE}).")
  private String durability;

  @Option(
      names = "--shards",
      paramLabel = "<count>",
      defaultValue = "1",
      description = "Slices of the stock beside the baselines (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--in-flight",
      paramLabel = "<count>",
      defaultValue = "1024",
      description =
          "Purchases under way, here and in the pipelined baseline (default: ${DEFAULT-VALUE}).")
  private int inFlight;

  @Option(
      names = "--rounds",
      paramLabel = "<count>",
      defaultValue = "5",
      description = "Measurements of each kind, in turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "<seconds>",
      defaultValue = "1",
      description = "How long a measurement takes at most (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--wins",
      paramLabel = "<count>",
      defaultValue = "500000",
      description =
          "Most wins of all measurements of wins together, for each durability; each of them is"
              + " stored and audited (default: ${DEFAULT-VALUE}).")
  private int wins;

  @Option(
      names = "--warm-up",
      paramLabel = "<seconds>",
      defaultValue = "9",
      description = "How long all sides run before the clock starts (default: ${DEFAULT-VALUE}).")
  private double warmUpSeconds;

  @Option(
      names = "--rebalance-units",
      paramLabel = "<units>",
      defaultValue = "300000",
      description =
          "Units of each sale of the rebalancing at 16 shards; 0 leaves it out"
              + " (default: ${DEFAULT-VALUE}).")
  private int rebalanceUnits;

  @Override
  protected int run(Output output) {
    EngineBenchOptions options = options();
    EngineReport report;
    try (TemporaryStage stage = TemporaryStage.open("seckill-bench-")) {
      report = new EngineBench(options, stage, output::progress).run();
    }
    output.text(report.text());
    output.result(report.json());
    return report.passed() ? PASS : FAIL;
  }

  private EngineBenchOptions options() {
    try {
      return new EngineBenchOptions(
          durabilities(),
          shards,
          inFlight,
          new EngineBenchOptions.Size(rounds, duration(seconds), wins, duration(warmUpSeconds)),
          rebalanceUnits);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private List<Durability> durabilities() {
    if (durability.equals(ALL)) {
      return List.of(Durability.values());
    }
    return Arrays.stream(Durability.values())
        .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(durability))
        .findFirst()
        .map(List::of)
        .orElseThrow(() -> new UsageException("--durability is none, fsync, replica or all"));
  }

  static Duration duration(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1_000));
  }
}

package io.seckill.launcher.command;

import io.seckill.launcher.UsageException;
import io.seckill.launcher.bench.OrdersBench;
import io.seckill.launcher.bench.OrdersBenchOptions;
import io.seckill.launcher.bench.OrdersReport;
import io.seckill.launcher.local.TemporaryStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill bench orders}. */
@Command(
    name = "orders",
    description = {
      "How fast wins become stored orders, beside a bare multi-row loop into the same tables and"
          + " beside one INSERT for each order, on the same database.",
      "Runs in a temporary folder and on free ports and leaves nothing behind. The verdict is the"
          + " audit's. docs/performance.md says what each figure means."
    })
public final class BenchOrdersCommand extends ProgramCommand {

  @Option(
      names = "--shards",
      paramLabel = "<count>",
      defaultValue = "1",
      description =
          "Logs that are stored at once, and connections of each baseline"
              + " (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--rounds",
      paramLabel = "<count>",
      defaultValue = "5",
      description = "Measurements of each kind, in turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--orders",
      paramLabel = "<count>",
      defaultValue = "100000",
      description = "Orders of each measurement (default: ${DEFAULT-VALUE}).")
  private int orders;

  @Option(
      names = "--seconds",
      paramLabel = "<seconds>",
      defaultValue = "2",
      description =
          "How long orders are stored one by one in each round (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  protected int run(Output output) {
    OrdersReport report;
    try (TemporaryStage stage = TemporaryStage.open("seckill-bench-")) {
      report = new OrdersBench(options(), stage, output::progress).run();
    }
    output.text(report.text());
    output.result(report.json());
    return report.passed() ? PASS : FAIL;
  }

  private OrdersBenchOptions options() {
    try {
      return new OrdersBenchOptions(shards, rounds, orders, BenchEngineCommand.duration(seconds));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }
}

package io.seckill.launcher.command;

import io.seckill.launcher.UsageException;
import io.seckill.launcher.bench.MemoryBench;
import io.seckill.launcher.bench.MemoryBenchOptions;
import io.seckill.launcher.bench.MemoryReport;
import io.seckill.launcher.local.TemporaryStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill bench memory}. */
@Command(
    name = "memory",
    description = {
      "What a win costs in Redis, what millions of receipts and units cost in speed, and what"
          + " removing an ended item costs others.",
      "Runs in a temporary folder and on free ports and leaves nothing behind. The verdict is the"
          + " audit's. docs/performance.md says what each figure means."
    })
public final class BenchMemoryCommand extends ProgramCommand {

  @Option(
      names = "--wins",
      paramLabel = "<count>",
      defaultValue = "1000000",
      description = "Wins whose memory is measured (default: ${DEFAULT-VALUE}).")
  private int wins;

  @Option(
      names = "--receipts",
      paramLabel = "<count>",
      defaultValue = "10000000",
      description = "Receipts of the item that has many (default: ${DEFAULT-VALUE}).")
  private int receipts;

  @Option(
      names = "--stock",
      paramLabel = "<units>",
      defaultValue = "10000000",
      description = "Units of the item that has many (default: ${DEFAULT-VALUE}).")
  private int stock;

  @Option(
      names = "--rounds",
      paramLabel = "<count>",
      defaultValue = "5",
      description = "Measurements of each kind, in turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--purchases",
      paramLabel = "<count>",
      defaultValue = "20000",
      description = "Purchases of each measurement (default: ${DEFAULT-VALUE}).")
  private int purchases;

  @Override
  protected int run(Output output) {
    MemoryReport report;
    try (TemporaryStage stage = TemporaryStage.open("seckill-bench-")) {
      report = new MemoryBench(options(), stage, output::progress).run();
    }
    output.text(report.text());
    output.result(report.json());
    return report.passed() ? PASS : FAIL;
  }

  private MemoryBenchOptions options() {
    try {
      return new MemoryBenchOptions(wins, receipts, stock, rounds, purchases);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }
}

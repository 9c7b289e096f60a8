package io.seckill.launcher.command;

import io.seckill.launcher.UsageException;
import io.seckill.launcher.bench.ReleasesBench;
import io.seckill.launcher.bench.ReleasesBenchOptions;
import io.seckill.launcher.bench.ReleasesReport;
import io.seckill.launcher.local.TemporaryStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill bench releases}. */
@Command(
    name = "releases",
    description = {
      "How long units of unpaid orders take to come back while another sale goes on.",
      "Runs in a temporary folder and on free ports and leaves nothing behind. The verdict is the"
          + " audit's. docs/performance.md says what each figure means."
    })
public final class BenchReleasesCommand extends ProgramCommand {

  @Option(
      names = "--shards",
      paramLabel = "<count>",
      defaultValue = "1",
      description = "Slices of the stock (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--orders",
      paramLabel = "<count>",
      defaultValue = "100000",
      description = "Orders that are due at once (default: ${DEFAULT-VALUE}).")
  private int orders;

  @Option(
      names = "--few",
      paramLabel = "<count>",
      defaultValue = "20",
      description = "Orders that are due one after the other (default: ${DEFAULT-VALUE}).")
  private int few;

  @Option(
      names = "--sale",
      paramLabel = "<purchases>",
      defaultValue = "1000",
      description = "Purchases a second of the sale beside (default: ${DEFAULT-VALUE}).")
  private int salePerSecond;

  @Override
  protected int run(Output output) {
    ReleasesReport report;
    try (TemporaryStage stage = TemporaryStage.open("seckill-bench-")) {
      report = new ReleasesBench(options(), stage, output::progress).run();
    }
    output.text(report.text());
    output.result(report.json());
    return report.passed() ? PASS : FAIL;
  }

  private ReleasesBenchOptions options() {
    try {
      return new ReleasesBenchOptions(shards, orders, few, salePerSecond);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }
}

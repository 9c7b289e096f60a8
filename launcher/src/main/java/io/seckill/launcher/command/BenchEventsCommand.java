package io.seckill.launcher.command;

import io.seckill.launcher.UsageException;
import io.seckill.launcher.bench.EventsBench;
import io.seckill.launcher.bench.EventsBenchOptions;
import io.seckill.launcher.bench.EventsReport;
import io.seckill.launcher.local.TemporaryStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill bench events}. */
@Command(
    name = "events",
    description = {
      "How long it takes until a buyer with an open event stream hears that his order is stored,"
          + " and how many streams one gateway holds.",
      "Runs in a temporary folder and on free ports and leaves nothing behind. The verdict is the"
          + " audit's. docs/performance.md says what each figure means."
    })
public final class BenchEventsCommand extends ProgramCommand {

  @Option(
      names = "--streams",
      paramLabel = "<count>",
      defaultValue = "5000",
      description = "Streams that are open while news are timed (default: ${DEFAULT-VALUE}).")
  private int streams;

  @Option(
      names = "--most",
      paramLabel = "<count>",
      defaultValue = "10000",
      description = "Streams that are open in the second part (default: ${DEFAULT-VALUE}).")
  private int most;

  @Option(
      names = "--sale",
      paramLabel = "<purchases>",
      defaultValue = "1000",
      description = "Purchases of their owners a second (default: ${DEFAULT-VALUE}).")
  private int perSecond;

  @Override
  protected int run(Output output) {
    EventsReport report;
    try (TemporaryStage stage = TemporaryStage.open("seckill-bench-")) {
      report = new EventsBench(options(), stage, output::progress).run();
    }
    output.text(report.text());
    output.result(report.json());
    return report.passed() ? PASS : FAIL;
  }

  private EventsBenchOptions options() {
    try {
      return new EventsBenchOptions(streams, most, perSecond);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }
}

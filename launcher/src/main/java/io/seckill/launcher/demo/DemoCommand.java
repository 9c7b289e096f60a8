package io.seckill.launcher.demo;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderIds;
import io.seckill.launcher.command.Output;
import io.seckill.launcher.command.ProgramCommand;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.local.LocalStack;
import java.time.Duration;
import java.util.HexFormat;
import java.util.SplittableRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill demo}. */
@Command(
    name = "demo",
    description = {
      "Sell out: a crowd buys over real HTTP, every win becomes an order, an audit checks it all.",
      "Runs in a temporary folder and on free ports and leaves nothing behind. Exit code 0 only"
          + " when the verdict is PASS."
    })
public final class DemoCommand extends ProgramCommand {

  private static final SaleRun.Items ITEMS = new SaleRun.Items(new ItemId(1), new ItemId(2));

  @Option(
      names = "--stock",
      paramLabel = "<units>",
      defaultValue = "1000",
      description = "Units on sale (default: ${DEFAULT-VALUE}).")
  private int stock;

  @Option(
      names = "--users",
      paramLabel = "<people>",
      defaultValue = "20000",
      description = "Buyers, each with a token and an address (default: ${DEFAULT-VALUE}).")
  private int users;

  @Option(
      names = "--requests",
      paramLabel = "<clicks>",
      defaultValue = "60000",
      description =
          "Clicks of all buyers together; some repeat with the same key, some with a new one, some"
              + " without (default: ${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--limit",
      paramLabel = "<units>",
      defaultValue = "1",
      description = "Units that one buyer may hold (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--shards",
      paramLabel = "<count>",
      defaultValue = "1",
      description = "Slices of the stock (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--connections",
      paramLabel = "<count>",
      defaultValue = "128",
      description = "Keep-alive connections of the crowd (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--seed",
      paramLabel = "<number>",
      description = "Decides who clicks when (default: a new one, printed).")
  private Long seed;

  @Option(
      names = "--warm-up",
      paramLabel = "<seconds>",
      defaultValue = "8",
      description =
          "How long another item is sold before the clock starts (default: ${DEFAULT-VALUE}).")
  private int warmUpSeconds;

  @Override
  protected int run(Output output) {
    DemoOptions options = options();
    output.progress(
        "a sale of %,d units, seed %d; starting Redis, MariaDB and all roles"
            .formatted(options.stock(), options.seed()));
    DemoReport report;
    try (DemoStage stage = DemoStage.open()) {
      report = play(options, stage.start(options.shards()), output);
    }
    output.text(report.text());
    output.result(report.json());
    return report.verdict().passed() ? PASS : FAIL;
  }

  private DemoOptions options() {
    return new DemoOptions(
        stock,
        new CrowdSize(users, requests, limit),
        shards,
        connections,
        seed == null ? new SplittableRandom().nextLong(1_000_000_000L) : seed,
        Duration.ofSeconds(warmUpSeconds));
  }

  private static DemoReport play(DemoOptions options, LocalStack stack, Output output) {
    try (SaleRun sale = new SaleRun(SaleSite.of(stack), options, ITEMS, output::progress)) {
      sale.prepare();
      CrowdRecord warmUp = sale.warmUp();
      CrowdRecord crowd = sale.sell();
      Verdict verdict = sale.judge();
      OrderIds ids = new OrderIds(HexFormat.of().parseHex(stack.config().orderId().key().value()));
      return new DemoReport(
          options, warmUp, crowd, verdict, DemoReport.Epochs.of(crowd.wins(), ids));
    }
  }
}

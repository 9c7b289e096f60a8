package io.seckill.launcher.demo;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderIds;
import io.seckill.embedded.NoServerHereException;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.Waiting;
import io.seckill.launcher.command.Output;
import io.seckill.launcher.command.ProgramCommand;
import io.seckill.launcher.load.CrowdRecord;
import io.seckill.launcher.load.CrowdSize;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalStack;
import io.seckill.launcher.local.TemporaryStage;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
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

  private static final Duration HOLD_BOUND = Duration.ofSeconds(20);

  /** The deployment that turns wins into orders. */
  private static final String STORING = "log-consumer";

  private static final long LONG_MS = Duration.ofDays(1).toMillis();

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

  @Option(
      names = "--hold-orders",
      description =
          "Store no order while the sale runs and all of them after it: shows how fast a backlog is"
              + " stored.")
  private boolean holdOrders;

  @Option(
      names = "--pay-ratio",
      paramLabel = "<share>",
      description = {
        "Let this share of the buyers, 0 to 1, pay what they win, through the sandbox provider; the"
            + " others let it run out (default: nobody pays, and nothing runs out meanwhile).",
        "Whoever got nothing joins the waitlist, and what comes back goes to the next one there,"
            + " until every unit is paid."
      })
  private Double payRatio;

  @Option(
      names = "--pay-timeout",
      paramLabel = "<seconds>",
      defaultValue = "5",
      description = "With --pay-ratio: the time to pay (default: ${DEFAULT-VALUE}).")
  private int payTimeoutSeconds;

  @Override
  protected int run(Output output) {
    DemoOptions options = options();
    output.progress(
        "a sale of %,d units, seed %d; starting Redis, MariaDB and all roles"
            .formatted(options.stock(), options.play().seed()));
    DemoReport report;
    try (TemporaryStage stage = TemporaryStage.open("seckill-demo-")) {
      report = play(options, start(stage, options, holdOrders), output);
    }
    output.text(report.text());
    output.result(report.json());
    return report.verdict().passed() ? PASS : FAIL;
  }

  private static LocalStack start(TemporaryStage stage, DemoOptions options, boolean holdOrders) {
    LocalOptions system = TemporaryStage.systemIn(stage.folder(), options.shards());
    // Buyers are turned away when orders wait for long, but here they are to wait.
    LocalOptions patient = holdOrders ? system.with("admission.maxDrainMs", LONG_MS) : system;
    try {
      return stage.start(() -> LocalStack.start(patient));
    } catch (LaunchException e) {
      if (e.getCause() instanceof NoServerHereException) {
        throw new LaunchException(
            "demo brings its own Redis and MariaDB, and not both are there for this platform."
                + " Start a Redis and a MySQL of your own, and all roles on them with"
                + " './seckill run --redis redis://host:port"
                + " --mysql mysql://user:password@host:port/database'",
            e);
      }
      throw e;
    }
  }

  private DemoOptions options() {
    if (holdOrders && payRatio != null) {
      throw new UsageException("--hold-orders and --pay-ratio: an order that is held is not paid");
    }
    try {
      return new DemoOptions(
          stock,
          new CrowdSize(users, requests, limit),
          shards,
          new DemoOptions.Play(
              connections,
              seed == null ? new SplittableRandom().nextLong(1_000_000_000L) : seed,
              Duration.ofSeconds(warmUpSeconds)),
          Optional.ofNullable(payRatio)
              .map(ratio -> new Paying(ratio, Duration.ofSeconds(payTimeoutSeconds))));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private DemoReport play(DemoOptions options, LocalStack stack, Output output) {
    MeterRegistry registry = stack.node().runtime().registry();
    try (SaleRun sale = new SaleRun(SaleSite.of(stack), options, ITEMS, output::progress)) {
      sale.prepare();
      CrowdRecord warmUp = sale.warmUp();
      if (holdOrders) {
        wait(stack.node().hold(STORING), "the consumer to pause");
      }
      try (StorePace pace =
          new StorePace(() -> (long) registry.get("seckill.orders.stored").counter().count())) {
        CrowdRecord crowd = sale.sell();
        if (holdOrders) {
          pace.released();
          wait(stack.node().release(STORING), "the consumer to go on");
        }
        if (options.paying().isPresent()) {
          crowd = sale.settle();
        }
        Verdict verdict = sale.judge();
        OrderIds ids =
            new OrderIds(HexFormat.of().parseHex(stack.config().orderId().key().value()));
        return new DemoReport(
            options, warmUp, crowd, verdict, DemoReport.Epochs.of(crowd.wins(), ids), pace.drain());
      }
    }
  }

  private static void wait(Future<Void> change, String what) {
    Waiting.forResult(change, HOLD_BOUND, what);
  }
}

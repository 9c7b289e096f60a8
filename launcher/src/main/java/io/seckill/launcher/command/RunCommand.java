package io.seckill.launcher.command;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.role.Role;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.local.DemoSale;
import io.seckill.launcher.local.LocalOptions;
import io.seckill.launcher.local.LocalPlan;
import io.seckill.launcher.local.LocalStack;
import io.seckill.launcher.local.RunInfo;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code seckill run}. */
@Command(
    name = "run",
    description = {
      "Run the system until Ctrl-C or SIGTERM.",
      "Without any configuration: all roles on this machine's loopback, with embedded Redis and"
          + " MariaDB, data kept in the data folder, development tokens, and a demo sale that is"
          + " open.",
      "With --config, other roles, or addresses in the environment: as configured."
    })
public final class RunCommand extends ProgramCommand {

  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

  private static final Duration SALE_BOUND = Duration.ofSeconds(30);
  private static final Duration EXAMPLE_TTL = Duration.ofHours(1);

  @Option(
      names = "--roles",
      paramLabel = "<roles>",
      defaultValue = "all",
      description = "all, or some of gateway,seckill,consumer (default: ${DEFAULT-VALUE}).")
  private String roles;

  @Option(
      names = "--redis",
      paramLabel = "<uri>",
      description =
          "Redis to use instead of the embedded one: redis://host:port,"
              + " redis-sentinel://host:port,…/master or redis-cluster://host:port,….")
  private String redis;

  @Option(
      names = "--mysql",
      paramLabel = "<uri>",
      description = "mysql://user:password@host:port/database to use instead of the embedded one.")
  private String mysql;

  @Option(
      names = "--data",
      paramLabel = "<folder>",
      defaultValue = "data",
      description = "Where data is kept (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(
      names = "--host",
      paramLabel = "<address>",
      description = "Address of the public port (default in a local run: 127.0.0.1).")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "<port>",
      description = "Public port, 0 for a free one (default: 8080).")
  private String port;

  @Option(
      names = "--admin-port",
      paramLabel = "<port>",
      description = "Admin port, 0 for a free one (default: 8081).")
  private String adminPort;

  @Option(
      names = "--management-port",
      paramLabel = "<port>",
      description = "Port of health and metrics, 0 for a free one (default: 9090).")
  private String managementPort;

  @Option(names = "--no-demo-sale", description = "Do not open a sale when none is open.")
  private boolean noDemoSale;

  @Mixin private ConfigOptions config;

  @Override
  protected int run(Output output)
      throws InterruptedException, ExecutionException, TimeoutException {
    LocalOptions options = options();
    LocalPlan plan = LocalPlan.of(options);
    sayWhatIsUsed(output, plan, options);
    StopSignal signal = StopSignal.listen(plan.stopBoundMs());
    try (LocalStack stack = LocalStack.start(options)) {
      signal.started();
      if (plan.isLocalRun()) {
        LOG.debug("configuration:\n{}", stack.loadedConfig().describe());
        runLocally(output, stack, signal);
      } else {
        LOG.info("configuration:\n{}", stack.loadedConfig().describe());
        output.progress("started: " + stack.node().roles() + ", " + stack.node().ports());
        output.result(started(stack, Optional.empty()));
        signal.await();
      }
      output.progress("stopping");
    } catch (LaunchException e) {
      if (!signal.isAsked()) {
        throw e;
      }
      output.progress("stopped during the start");
    } finally {
      signal.stopped();
    }
    return PASS;
  }

  private LocalOptions options() {
    Map<String, String> values = new TreeMap<>(config.values());
    putIfGiven(values, "gateway.host", host);
    putIfGiven(values, "gateway.publicPort", port);
    putIfGiven(values, "gateway.adminPort", adminPort);
    putIfGiven(values, "management.port", managementPort);
    return LocalOptions.in(data)
        .withRoles(parsedRoles())
        .withConfigFile(config.file())
        .withServers(Optional.ofNullable(redis), Optional.ofNullable(mysql))
        .with(values);
  }

  private static void putIfGiven(Map<String, String> values, String key, String value) {
    if (value != null) {
      values.put(key, value);
    }
  }

  private Set<Role> parsedRoles() {
    try {
      return Role.parse(roles);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--roles: " + e.getMessage());
    }
  }

  private static void sayWhatIsUsed(Output output, LocalPlan plan, LocalOptions options) {
    output.progress(
        (plan.isLocalRun() ? "local run" : "configured run")
            + ": roles "
            + options.roles().stream().map(Role::name).sorted().toList()
            + "; Redis: "
            + plan.redisInWords()
            + "; MySQL: "
            + plan.mysqlInWords());
  }

  private void runLocally(Output output, LocalStack stack, StopSignal signal)
      throws InterruptedException, ExecutionException, TimeoutException {
    Optional<ItemId> sale = noDemoSale ? Optional.empty() : Optional.of(demoSale(stack));
    stack.runInfo().write(stack.dataFolder());
    long renewal =
        stack
            .node()
            .vertx()
            // The admin token in the file must never be one that has run out.
            .setPeriodic(
                stack.config().jwt().maxLifetimeMs() / 2,
                id ->
                    stack
                        .node()
                        .vertx()
                        .executeBlocking(
                            () -> {
                              stack.runInfo().write(stack.dataFolder());
                              return null;
                            }));
    try {
      output.text(welcome(stack, sale));
      output.result(started(stack, sale));
      signal.await();
    } finally {
      stack.node().vertx().cancelTimer(renewal);
      RunInfo.remove(stack.dataFolder());
    }
  }

  private static ItemId demoSale(LocalStack stack)
      throws InterruptedException, ExecutionException, TimeoutException {
    return new DemoSale(stack.node().vertx().eventBus(), System.currentTimeMillis())
        .ensureOpen()
        .toCompletionStage()
        .toCompletableFuture()
        .get(SALE_BOUND.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static String welcome(LocalStack stack, Optional<ItemId> sale) {
    RunInfo info = stack.runInfo();
    String addresses =
        """
        seckill is ready, %.1f s after its start.

          shop and API   %s
          admin API      %s   (its token: %s)
          health         %s/health/ready   metrics: %s/metrics
          payments       %s
          data           %s, kept

        """
            .formatted(
                upSeconds(),
                info.publicUrl(),
                info.adminUrl(),
                RunInfo.file(stack.dataFolder()),
                info.managementUrl(),
                info.managementUrl(),
                paymentsInWords(stack),
                stack.dataFolder());
    String sessions =
        stack.config().gateway().devSession()
            ? ""
            : """
            The shop page cannot sign anybody in: development sessions would be open to all who reach
            %s, so they are off (gateway.devSession). './seckill token' signs tokens.

            """
                .formatted(stack.config().gateway().host());
    return addresses
        + sessions
        + sale.map(item -> howToBuy(stack, info, item)).orElse("")
        + "Ctrl-C stops it.";
  }

  private static String paymentsInWords(LocalStack stack) {
    SeckillConfig.Payment payment = stack.config().payment();
    return switch (payment.provider()) {
      case NONE -> "none: orders cannot be paid";
      case SANDBOX -> "a sandbox, no money moves: " + payment.sandboxUrl();
    };
  }

  private static String howToBuy(LocalStack stack, RunInfo info, ItemId item) {
    String token = stack.tokens().sign(UserId.of("alice"), Set.of(), EXAMPLE_TTL).text();
    return """
        On sale: item %s. Buy one:

          TOKEN=%s
          curl -X POST -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
            -d '{"quantity":1}' %s/api/v1/items/%s/purchases

        """
        .formatted(item, token, info.publicUrl(), item);
  }

  private static double upSeconds() {
    return ManagementFactory.getRuntimeMXBean().getUptime() / 1_000.0;
  }

  private static JsonObject started(LocalStack stack, Optional<ItemId> sale) {
    RunInfo info = stack.runInfoWithoutToken();
    JsonObject json =
        new JsonObject()
            .put("publicUrl", info.publicUrl())
            .put("adminUrl", info.adminUrl())
            .put("managementUrl", info.managementUrl())
            .put("pid", info.pid())
            .put("readySeconds", upSeconds());
    sale.ifPresent(item -> json.put("itemId", item.toString()));
    return json;
  }
}

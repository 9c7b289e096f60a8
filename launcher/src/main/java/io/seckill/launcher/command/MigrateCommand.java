package io.seckill.launcher.command;

import io.seckill.common.config.LoadedConfig;
import io.seckill.launcher.UsageException;
import io.seckill.launcher.local.LocalPlan;
import io.seckill.launcher.local.LocalStack;
import io.seckill.launcher.node.VertxRuntime;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code seckill migrate}. */
@Command(
    name = "migrate",
    description = {
      "Bring the schema of a database up to date.",
      "A run with the role consumer does this by itself. Safe to run at any time and from several nodes at once."
    })
public final class MigrateCommand extends ProgramCommand {

  @Option(
      names = "--mysql",
      paramLabel = "<uri>",
      description = "mysql://user:password@host:port/database (default: the configuration's).")
  private String mysql;

  @Mixin private ConfigOptions config;

  @Override
  protected int run(Output output) throws InterruptedException, ExecutionException {
    Map<String, String> values = new TreeMap<>(config.values());
    values.putAll(LocalPlan.mysqlSettings(Optional.ofNullable(mysql)));
    LoadedConfig loaded = config.loader().withOverrides(values).load();
    if (loaded.isDefault("mysql.host") && loaded.isDefault("mysql.port")) {
      throw new UsageException(
          "which database? Name it with --mysql, --config or SECKILL_MYSQL_HOST");
    }
    VertxRuntime runtime = VertxRuntime.local();
    try {
      output.progress(
          "migrating "
              + loaded.config().mysql().host()
              + ':'
              + loaded.config().mysql().port()
              + '/'
              + loaded.config().mysql().database());
      int done = LocalStack.migrate(runtime, loaded.config().mysql());
      output.text(done == 0 ? "the schema was up to date" : done + " migrations done");
      output.result(new JsonObject().put("verdict", "PASS").put("migrations", done));
      return PASS;
    } finally {
      runtime.close().toCompletionStage().toCompletableFuture().get();
    }
  }
}

package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item limit}. */
@Command(name = "limit", description = "Change the limit per user; it binds new purchases only.")
public final class LimitCommand extends ItemChangeCommand {

  @Option(
      names = "--limit",
      required = true,
      paramLabel = "<n>",
      description = "Units that one user may hold, 1 to 100.")
  private int limit;

  /** For the command line. */
  public LimitCommand() {
    super("limit");
  }

  @Override
  JsonObject body() {
    return new JsonObject().put("limitPerUser", limit);
  }
}

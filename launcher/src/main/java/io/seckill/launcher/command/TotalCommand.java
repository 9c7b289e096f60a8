package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item total}. */
@Command(name = "total", description = "Restock or withdraw the difference to a total.")
public final class TotalCommand extends ItemChangeCommand {

  @Option(
      names = "--units",
      required = true,
      paramLabel = "<n>",
      description = "Units in all, sold ones and the reserve included, 0 to 1000000000.")
  private long units;

  /** For the command line. */
  public TotalCommand() {
    super("total");
  }

  @Override
  JsonObject body() {
    return new JsonObject().put("total", units);
  }
}

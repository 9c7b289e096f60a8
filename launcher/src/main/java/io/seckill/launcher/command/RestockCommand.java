package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item restock}. */
@Command(name = "restock", description = "Add units to an item that is on sale.")
public final class RestockCommand extends ItemChangeCommand {

  @Option(
      names = "--units",
      required = true,
      paramLabel = "<n>",
      description = "How many units come in, 1 to 1000000000.")
  private long units;

  /** For the command line. */
  public RestockCommand() {
    super("restock");
  }

  @Override
  JsonObject body() {
    return new JsonObject().put("units", units);
  }
}

package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item withdraw}. */
@Command(name = "withdraw", description = "Take units away; those that buyers hold stay.")
public final class WithdrawCommand extends ItemChangeCommand {

  @Option(
      names = "--units",
      required = true,
      paramLabel = "<n>",
      description = "How many units go out at most, 1 to 1000000000.")
  private long units;

  /** For the command line. */
  public WithdrawCommand() {
    super("withdraw");
  }

  @Override
  JsonObject body() {
    return new JsonObject().put("units", units);
  }
}

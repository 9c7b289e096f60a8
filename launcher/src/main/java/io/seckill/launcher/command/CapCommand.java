package io.seckill.launcher.command;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code seckill item cap}. */
@Command(
    name = "cap",
    description =
        "Bound the units that may be sold for now; what is above goes to the item's reserve.")
public final class CapCommand extends ItemChangeCommand {

  @ArgGroup(multiplicity = "1")
  private Cap cap;

  private static final class Cap {

    @Option(
        names = "--units",
        required = true,
        paramLabel = "<n>",
        description = "Units that may be sold at most, 0 to 1000000000.")
    private long units;

    @Option(
        names = "--lift",
        required = true,
        description = "No bound any more: the reserve goes on sale.")
    private boolean lift;
  }

  /** For the command line. */
  public CapCommand() {
    super("cap");
  }

  @Override
  JsonObject body() {
    return cap.lift ? new JsonObject().putNull("cap") : new JsonObject().put("cap", cap.units);
  }
}

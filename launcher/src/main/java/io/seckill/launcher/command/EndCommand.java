package io.seckill.launcher.command;

import picocli.CommandLine.Command;

/** {@code seckill item end}. */
@Command(name = "end", description = "End the sale of an item for good.")
public final class EndCommand extends ItemChangeCommand {

  /** For the command line. */
  public EndCommand() {
    super("end");
  }
}

package io.seckill.launcher.command;

import picocli.CommandLine.Command;

/** {@code seckill item pause}. */
@Command(name = "pause", description = "Hold the sale of an item.")
public final class PauseCommand extends ItemChangeCommand {

  /** For the command line. */
  public PauseCommand() {
    super("pause");
  }
}

package io.seckill.launcher.command;

import picocli.CommandLine.Command;

/** {@code seckill item resume}. */
@Command(name = "resume", description = "Go on with the sale of an item.")
public final class ResumeCommand extends ItemChangeCommand {

  /** For the command line. */
  public ResumeCommand() {
    super("resume");
  }
}

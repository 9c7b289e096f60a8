package io.seckill.launcher.command;

import picocli.CommandLine.Command;

/** {@code seckill preheat}. */
@Command(name = "preheat", description = "Split an item's stock over the shards and open its sale.")
public final class PreheatCommand extends ItemChangeCommand {

  /** For the command line. */
  public PreheatCommand() {
    super("preheat");
  }
}

package io.seckill.launcher.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill item}: its subcommands do the work. */
@Command(
    name = "item",
    description = "Create and change items of a running system.",
    subcommands = {
      CreateItemCommand.class,
      ListItemsCommand.class,
      ShowItemCommand.class,
      PreheatCommand.class,
      RestockCommand.class,
      WithdrawCommand.class,
      TotalCommand.class,
      CapCommand.class,
      LimitCommand.class,
      WindowCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      EndCommand.class
    })
public final class ItemCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to do with items? One of " + String.join(", ", spec.subcommands().keySet()));
  }
}

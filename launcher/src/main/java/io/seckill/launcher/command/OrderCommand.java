package io.seckill.launcher.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill order}: its subcommands do the work. */
@Command(
    name = "order",
    description = "Show and end orders of a running system.",
    subcommands = {ShowOrderCommand.class, CancelOrderCommand.class, RefundOrderCommand.class})
public final class OrderCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to do with orders? One of " + String.join(", ", spec.subcommands().keySet()));
  }
}

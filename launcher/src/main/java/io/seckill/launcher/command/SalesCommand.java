package io.seckill.launcher.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill sales}: its subcommands do the work. */
@Command(
    name = "sales",
    description = "Stop all sales of a running system at once, or let them go on.",
    subcommands = {StopSalesCommand.class, ResumeSalesCommand.class, ShowSalesCommand.class})
public final class SalesCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to do with sales? One of " + String.join(", ", spec.subcommands().keySet()));
  }
}

package io.seckill.launcher.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill dead-letters}: its subcommands do the work. */
@Command(
    name = "dead-letters",
    description = "Show and end what a running system could not store.",
    subcommands = {
      ListLettersCommand.class,
      ShowLetterCommand.class,
      RetryLetterCommand.class,
      SettleLetterCommand.class
    })
public final class DeadLettersCommand implements Runnable {

  /** Of all letters in the admin API. */
  static final String PATH = "/api/v1/admin/dead-letters";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to do with dead letters? One of " + String.join(", ", spec.subcommands().keySet()));
  }
}

package io.seckill.launcher.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill bench}: its subcommands do the work. */
@Command(
    name = "bench",
    description = "Measure beside a baseline in the same run, and audit what was sold.",
    subcommands = {
      BenchEngineCommand.class,
      BenchMemoryCommand.class,
      BenchOrdersCommand.class,
      BenchReleasesCommand.class,
      BenchEventsCommand.class
    })
public final class BenchCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to measure? One of " + String.join(", ", spec.subcommands().keySet()));
  }
}

package io.seckill.launcher.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** A command that speaks to a running system. */
abstract class SystemCommand extends ProgramCommand {

  @Option(
      names = "--data",
      paramLabel = "<folder>",
      description = "Data folder of a local run (default: ${DEFAULT-VALUE}).",
      defaultValue = "data")
  private Path data;

  /** Finds the system. */
  final AdminClient admin() {
    return new AdminClient(RunningSystem.find(data, System.getenv()));
  }
}

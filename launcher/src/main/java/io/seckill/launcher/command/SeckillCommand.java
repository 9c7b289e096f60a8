package io.seckill.launcher.command;

import io.seckill.launcher.demo.DemoCommand;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code seckill}: its subcommands do the work. */
@Command(
    name = "seckill",
    description = "A flash-sale engine.",
    subcommands = {
      RunCommand.class,
      DemoCommand.class,
      TokenCommand.class,
      ItemCommand.class,
      PreheatCommand.class,
      AuditCommand.class,
      MigrateCommand.class
    })
public final class SeckillCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "what to do? One of " + String.join(", ", spec.subcommands().keySet()));
  }

  /** The command line with all commands, as {@link io.seckill.launcher.Main} runs it. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new SeckillCommand());
    addHelp(line);
    line.setParameterExceptionHandler(SeckillCommand::wrongUsage);
    return line;
  }

  private static void addHelp(CommandLine line) {
    line.getCommandSpec()
        .addOption(
            OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help.")
                .build());
    line.getSubcommands().values().forEach(SeckillCommand::addHelp);
  }

  /** One message, the nearest word where one was misspelled, and where to read on. */
  private static int wrongUsage(ParameterException failure, String[] arguments) {
    CommandLine line = failure.getCommandLine();
    StringBuilder message = new StringBuilder(failure.getMessage());
    if (failure instanceof CommandLine.UnmatchedArgumentException unmatched
        && !unmatched.getSuggestions().isEmpty()) {
      message.append("; did you mean '").append(unmatched.getSuggestions().get(0)).append("'?");
    }
    Output output =
        new Output(line.getOut(), line.getErr(), Arrays.asList(arguments).contains("--json"));
    output.failure(new IllegalArgumentException(message.toString()), false);
    output.progress("See '" + line.getCommandSpec().qualifiedName() + " --help'.");
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }
}

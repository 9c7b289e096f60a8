package io.seckill.launcher.command;

import io.seckill.common.config.Texts;
import io.seckill.launcher.demo.DemoCommand;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code seckill}: its subcommands do the work. */
@Command(
    name = "seckill",
    description = "A flash-sale engine.",
    subcommands = {
      RunCommand.class,
      DemoCommand.class,
      BenchCommand.class,
      TokenCommand.class,
      ItemCommand.class,
      PreheatCommand.class,
      OrderCommand.class,
      NotificationsCommand.class,
      DeadLettersCommand.class,
      SalesCommand.class,
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
    line.registerConverter(OffsetDateTime.class, SeckillCommand::time);
    line.registerConverter(
        int.class, text -> (int) number(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
    for (Class<Long> type : List.of(long.class, Long.class)) {
      line.registerConverter(type, text -> number(text, Long.MIN_VALUE, Long.MAX_VALUE));
    }
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

  private static OffsetDateTime time(String text) {
    try {
      return OffsetDateTime.parse(text);
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'" + text + "' is no time with its offset, such as 2026-11-11T00:00:00+08:00");
    }
  }

  private static long number(String text, long min, long max) {
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below, as is a number that does not fit.
    }
    throw new TypeConversionException(
        "'" + text + (text.matches("[+-]?[0-9]+") ? "' is out of range" : "' is no whole number"));
  }

  /** One message, the nearest word where one was misspelled, and where to read on. */
  private static int wrongUsage(ParameterException failure, String[] arguments) {
    CommandLine line = failure.getCommandLine();
    StringBuilder message = new StringBuilder(failure.getMessage());
    if (failure instanceof CommandLine.UnmatchedArgumentException unmatched) {
      String written = unmatched.getUnmatched().get(0);
      unmatched.getSuggestions().stream()
          .filter(suggested -> Texts.isNear(written, suggested))
          .findFirst()
          .ifPresent(near -> message.append("; did you mean '").append(near).append("'?"));
    }
    Output output =
        new Output(line.getOut(), line.getErr(), Arrays.asList(arguments).contains("--json"));
    output.failure(new IllegalArgumentException(message.toString()), false);
    output.progress("See '" + line.getCommandSpec().qualifiedName() + " --help'.");
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }
}

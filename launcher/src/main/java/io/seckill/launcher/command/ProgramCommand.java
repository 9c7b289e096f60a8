package io.seckill.launcher.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.seckill.common.config.ConfigException;
import io.seckill.launcher.UsageException;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all commands have: {@code --help}, {@code --json}, {@code --verbose}, one message. */
public abstract class ProgramCommand implements Callable<Integer> {

  /** The exit code of a command whose verdict is PASS. */
  protected static final int PASS = 0;

  /** The exit code of everything else but wrong usage. */
  protected static final int FAIL = 1;

  private static final int WRONG_USAGE = 2;

  @Spec private CommandSpec spec;

  @Option(
      names = "--json",
      description = "Print one JSON object as the last line of standard output, and only that.")
  private boolean json;

  @Option(
      names = {"-v", "--verbose"},
      description = "Log details, and show where a failure comes from.")
  private boolean verbose;

  /**
   * Does the work.
   *
   * @return the exit code
   * @throws Exception whose message is shown as {@link io.seckill.launcher.Failures} says
   */
  protected abstract int run(Output output) throws Exception;

  @Override
  public final Integer call() {
    Output output = new Output(spec.commandLine().getOut(), spec.commandLine().getErr(), json);
    if (verbose && LoggerFactory.getILoggerFactory() instanceof LoggerContext logging) {
      logging.getLogger("io.seckill").setLevel(Level.DEBUG);
    }
    try {
      return run(output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      output.failure(new IllegalStateException("interrupted"), verbose);
      return FAIL;
    } catch (UsageException | ConfigException e) {
      output.failure(e, verbose);
      return WRONG_USAGE;
    } catch (Exception e) {
      output.failure(e, verbose);
      return FAIL;
    }
  }
}

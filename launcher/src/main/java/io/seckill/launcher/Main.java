package io.seckill.launcher;

import io.seckill.launcher.command.SeckillCommand;

/** The program. */
public final class Main {

  private Main() {}

  /**
   * Runs one command and ends the JVM with its exit code: 0 means that the verdict is PASS, 2 wrong
   * usage, 1 everything else.
   */
  public static void main(String[] arguments) {
    System.exit(SeckillCommand.commandLine().execute(arguments));
  }
}

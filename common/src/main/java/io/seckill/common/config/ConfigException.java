package io.seckill.common.config;

import java.util.List;

/**
 * The configuration cannot be used. Carries every problem at once, so that an operator mends all of
 * them in one go. The text may be shown as it is: secrets are masked and control characters
 * escaped.
 */
public final class ConfigException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A plain list of strings, because an exception is serializable. */
  private final String[] problems;

  /**
   * Makes the failure. It carries no stack trace: it stands for what an operator wrote.
   *
   * @param problems one line each, at least one
   */
  public ConfigException(List<String> problems) {
    super("the configuration has " + count(problems) + lines(problems), null, false, false);
    this.problems = problems.toArray(String[]::new);
  }

  /** One line for each problem: key, value, place, and what is allowed. */
  public List<String> problems() {
    return List.of(problems);
  }

  private static String count(List<String> problems) {
    return problems.size() == 1 ? "a problem:" : problems.size() + " problems:";
  }

  private static String lines(List<String> problems) {
    return "\n  " + String.join("\n  ", problems);
  }
}

package io.seckill.launcher;

/**
 * The program cannot go on. The message is for the person at the terminal: what is wrong and what
 * to do, without internals or secrets. Carries no stack trace.
 */
public class LaunchException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Tells {@code message}. */
  public LaunchException(String message) {
    super(message, null, false, false);
  }

  /** Tells {@code message}; the cause is shown only on request. */
  public LaunchException(String message, Throwable cause) {
    super(message, cause, false, false);
  }
}

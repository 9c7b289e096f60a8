package io.seckill.embedded;

/**
 * An embedded server could not be unpacked, started or controlled. The message is meant for the
 * person at the terminal: it says what happened and what to do.
 */
public class EmbeddedServerException extends RuntimeException {

  /** Tells {@code message} to the user. */
  public EmbeddedServerException(String message) {
    super(message);
  }

  /** Tells {@code message} to the user and keeps {@code cause} for the log. */
  public EmbeddedServerException(String message, Throwable cause) {
    super(message, cause);
  }
}

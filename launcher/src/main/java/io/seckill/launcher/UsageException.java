package io.seckill.launcher;

/** What somebody typed or configured cannot be meant; the program ends with exit code 2. */
public final class UsageException extends LaunchException {

  private static final long serialVersionUID = 1L;

  /** Tells {@code message}. */
  public UsageException(String message) {
    super(message);
  }
}

package io.seckill.lua;

/**
 * A call to Redis that gave no result. What matters is whether it may have been executed. Carries
 * no stack trace: it is an everyday event while a server is away.
 */
public final class RedisCallException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Whether the call may have had an effect. */
  public enum Kind {
    /** Certainly not: it was never sent, or the server said so. */
    NOT_EXECUTED,
    /** A time-out, a closed connection or a run-time error: nobody knows. */
    UNKNOWN
  }

  private final Kind kind;
  private final String code;

  /**
   * Makes the failure.
   *
   * @param kind whether it may have been executed
   * @param code first word of the server's error, or {@code DOWN}, {@code FULL}, {@code TIMEOUT},
   *     {@code CLOSED}
   * @param detail for operators
   */
  public RedisCallException(Kind kind, String code, String detail) {
    super(code + ": " + detail, null, false, false);
    this.kind = kind;
    this.code = code;
  }

  /** Whether it may have been executed. */
  public Kind kind() {
    return kind;
  }

  /** A short stable word, fit for a metric tag. */
  public String code() {
    return code;
  }
}

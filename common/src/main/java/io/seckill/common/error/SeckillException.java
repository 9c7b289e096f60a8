package io.seckill.common.error;

/**
 * A failure with its place in the error table. Carries no stack trace: it stands for a state of the
 * world, not for a place in the code, and some are thrown often. A business "no" on the purchase
 * path is a value, not this.
 */
public final class SeckillException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * Makes the failure.
   *
   * @param code what went wrong
   * @param detail one sentence that may be shown to the caller: no internals, no secrets
   */
  public SeckillException(ErrorCode code, String detail) {
    super(detail, null, false, false);
    this.code = code;
  }

  /** Its row in the table. */
  public ErrorCode code() {
    return code;
  }
}

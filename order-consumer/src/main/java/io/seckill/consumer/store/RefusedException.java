package io.seckill.consumer.store;

/**
 * A guard said no: stored, these entries would break a promise. Rolls the transaction back. Carries
 * no stack trace: it says something about the data, not about the code.
 */
final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String reason;

  /**
   * Makes the refusal.
   *
   * @param reason a bounded word for the dead letter
   * @param detail one sentence for operators
   */
  RefusedException(String reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
  }

  String reason() {
    return reason;
  }
}

package io.seckill.common.log;

/**
 * A stream entry that no script of ours wrote. It becomes a dead letter; it can never become an
 * order.
 */
public final class MalformedEntryException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Makes the failure; the message says what is wrong with the entry, for operators. */
  public MalformedEntryException(String message) {
    super(message, null, false, false);
  }
}

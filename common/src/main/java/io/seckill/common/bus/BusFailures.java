package io.seckill.common.bus;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;

/**
 * Carries the error table over the bus: a {@link SeckillException} goes in on one side and comes
 * out on the other.
 */
public final class BusFailures {

  /** Marks failures of ours; the number of any other failure means nothing to us. */
  private static final int FAILURE_CODE = 1_000;

  private BusFailures() {}

  /**
   * Answers a request with a failure; anything that is not a {@link SeckillException} becomes
   * UNAVAILABLE without detail.
   */
  public static void reply(Message<?> request, Throwable failure) {
    SeckillException known =
        failure instanceof SeckillException e
            ? e
            : new SeckillException(ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE.title());
    // The name travels, not a number: names never change, so nodes of two releases agree.
    request.fail(FAILURE_CODE, known.code().name() + ' ' + known.getMessage());
  }

  /**
   * Turns what a request failed with into a row of the table.
   *
   * @param failure from {@code eventBus.request}
   * @param onTimeout what a time-out means here: OUTCOME_UNKNOWN where the receiver may have acted,
   *     UNAVAILABLE for a read
   */
  public static SeckillException translate(Throwable failure, ErrorCode onTimeout) {
    if (failure instanceof SeckillException e) {
      return e;
    }
    if (failure instanceof ReplyException e) {
      return switch (e.failureType()) {
        case TIMEOUT -> of(onTimeout);
        case NO_HANDLERS -> of(ErrorCode.UNAVAILABLE);
        case RECIPIENT_FAILURE -> ofRecipient(e, onTimeout);
        case ERROR -> of(onTimeout);
      };
    }
    return of(onTimeout);
  }

  private static SeckillException ofRecipient(ReplyException e, ErrorCode fallback) {
    String text = e.getMessage();
    int space = e.failureCode() == FAILURE_CODE && text != null ? text.indexOf(' ') : -1;
    if (space < 0) {
      return of(fallback);
    }
    return ErrorCode.byName(text.substring(0, space))
        .map(code -> new SeckillException(code, text.substring(space + 1)))
        .orElseGet(() -> of(fallback));
  }

  private static SeckillException of(ErrorCode code) {
    return new SeckillException(code, code.title());
  }
}

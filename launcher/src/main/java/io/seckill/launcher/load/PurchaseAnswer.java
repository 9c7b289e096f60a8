package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderId;

/** What an answer to a purchase says, after it was checked. */
sealed interface PurchaseAnswer {

  /**
   * A win.
   *
   * @param orderId its order
   * @param replayed whether the server says that an earlier request made it
   */
  record Won(OrderId orderId, boolean replayed) implements PurchaseAnswer {}

  /**
   * A refusal from the table of codes.
   *
   * @param code why
   * @param retryAfterMs when to come again, −1 when nothing is said
   */
  record Refused(ErrorCode code, long retryAfterMs) implements PurchaseAnswer {}

  /**
   * An answer that the contract does not allow.
   *
   * @param serverFailure whether it is a 5xx without a stable code
   * @param why for people
   */
  record Wrong(boolean serverFailure, String why) implements PurchaseAnswer {}
}

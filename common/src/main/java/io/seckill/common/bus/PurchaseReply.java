package io.seckill.common.bus;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderId;

/**
 * What became of a purchase. A business "no" is a value, so this travels on success and on refusal
 * alike.
 *
 * @param refusal why not; null when the purchase is accepted or replayed
 * @param orderId the order when accepted or replayed; the held order when LIMIT_REACHED names one;
 *     else null
 * @param replayed true when the order was made by an earlier request
 * @param remaining units left: exact with one shard, else as of the latest board; −1 when not known
 * @param retryAfterMs when a retry makes sense, milliseconds; 0 when nothing is said
 */
public record PurchaseReply(
    ErrorCode refusal, OrderId orderId, boolean replayed, long remaining, long retryAfterMs) {

  /** A new win. */
  public static PurchaseReply accepted(OrderId orderId, long remaining) {
    return new PurchaseReply(null, orderId, false, remaining, 0);
  }

  /** An earlier win, told again. */
  public static PurchaseReply replayed(OrderId orderId) {
    return new PurchaseReply(null, orderId, true, -1, 0);
  }

  /** A refusal without more to say. */
  public static PurchaseReply refused(ErrorCode code) {
    return new PurchaseReply(code, null, false, -1, 0);
  }

  /** A refusal that says when to come again. */
  public static PurchaseReply refused(ErrorCode code, long retryAfterMs) {
    return new PurchaseReply(code, null, false, -1, retryAfterMs);
  }

  /** LIMIT_REACHED, naming the latest order that is held. */
  public static PurchaseReply limitReached(OrderId held) {
    return new PurchaseReply(ErrorCode.LIMIT_REACHED, held, false, -1, 0);
  }
}

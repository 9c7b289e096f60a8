package io.seckill.common.bus;

import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;

/**
 * Ends an order before it is paid. Answered with the order as it is afterwards, also when it was
 * cancelled before: whoever asks again learns the same. NOT_FOUND for another user's order; BUSY
 * while the order is not stored yet, so that it is never half done; CONFLICT when it was paid or
 * can never be fulfilled. A time-out leaves the outcome open; asking again is safe.
 *
 * @param orderId the sealed id
 * @param user whose order it has to be; null when an operator asks
 * @param reason what the order then says: {@link #BY_USER} or {@link #BY_ADMIN}
 * @param actor the operator who asks, for the audit log; null when the buyer does
 */
public record OrderCancel(OrderId orderId, UserId user, String reason, String actor) {

  /** The buyer changed his mind. */
  public static final String BY_USER = "user";

  /** An operator did it. */
  public static final String BY_ADMIN = "admin";

  /** The time to pay ended. */
  public static final String BY_TIMEOUT = "timeout";

  /** As the buyer asks. */
  public static OrderCancel byUser(UserId user, OrderId orderId) {
    return new OrderCancel(orderId, user, BY_USER, null);
  }

  /** As an operator asks. */
  public static OrderCancel byAdmin(OrderId orderId, String actor) {
    return new OrderCancel(orderId, null, BY_ADMIN, actor);
  }
}

package io.seckill.common.bus;

import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;

/**
 * A buyer wants to pay. Idempotent by the order: while its payment is open, the same payment is
 * answered again. NOT_FOUND for another user's order, BUSY while the order is not stored yet,
 * CONFLICT when it does not wait for money.
 *
 * @param user whose order it has to be
 * @param orderId the sealed id
 */
public record PaymentStart(UserId user, OrderId orderId) {}

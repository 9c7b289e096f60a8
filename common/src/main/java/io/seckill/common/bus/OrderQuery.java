package io.seckill.common.bus;

import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;

/**
 * Asks for one order.
 *
 * @param user who asks; another user's order is NOT_FOUND. Null when an operator asks: he may see
 *     every order
 * @param orderId the sealed id
 */
public record OrderQuery(UserId user, OrderId orderId) {}

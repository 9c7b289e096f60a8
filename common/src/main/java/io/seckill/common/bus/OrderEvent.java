package io.seckill.common.bus;

import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.OrderStatus;

/**
 * What an order became.
 *
 * @param user whose order
 * @param orderId the sealed id
 * @param status where it stands now
 * @param reason why it ended, empty while it has not
 * @param promoted whether the unit came to him from the waitlist
 * @param atMs about when it became so, epoch milliseconds; no two clocks are alike, so it orders
 *     nothing
 */
public record OrderEvent(
    UserId user, OrderId orderId, OrderStatus status, String reason, boolean promoted, long atMs) {}

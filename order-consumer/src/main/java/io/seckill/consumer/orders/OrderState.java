package io.seckill.consumer.orders;

import io.seckill.common.order.OrderStatus;

/**
 * Where an order stands while its row is locked.
 *
 * @param user whose it is
 * @param status where it stands
 * @param reason why it ended, empty while it has not
 * @param totalMinor its price in minor units
 * @param currency ISO 4217
 * @param payByMs when the time to pay ends, MySQL time
 * @param promoted whether the units came from the waitlist
 */
public record OrderState(
    String user,
    OrderStatus status,
    String reason,
    long totalMinor,
    String currency,
    long payByMs,
    boolean promoted) {}

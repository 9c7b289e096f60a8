package io.seckill.common.bus;

import io.seckill.common.id.OrderId;

/**
 * An operator gives the money of a paid order back; its units go back too. Answered with the order
 * as it is afterwards, also when it was on that way before. BUSY while the order is not stored yet,
 * CONFLICT when it was never paid. A time-out leaves the outcome open; asking again is safe.
 *
 * @param orderId the sealed id
 * @param actor the operator who asks, for the audit log
 */
public record OrderRefund(OrderId orderId, String actor) {}

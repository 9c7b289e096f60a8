package io.seckill.consumer.payment;

import io.seckill.common.id.OrderId;

/**
 * What a buyer is to pay for an order.
 *
 * @param id our name for it, also the provider's key of idempotency
 * @param orderId what it pays for
 * @param amountMinor how much, in minor units
 * @param currency ISO 4217
 */
record Payment(String id, OrderId orderId, long amountMinor, String currency) {}

package io.seckill.common.bus;

import io.seckill.common.id.OrderId;

/**
 * What the provider says about a payment; whoever sends this has checked the provider's signature.
 * The same notice again has no second effect and the same answer. NOT_FOUND when there is no such
 * payment of that order; CONFLICT when PAID names another amount or currency than the payment's,
 * which is then shown as such and never counts as paid.
 *
 * @param paymentId the payment
 * @param orderId the order that it is for
 * @param status how it ended
 * @param amountMinor what was paid or was to be paid, in minor units
 * @param currency ISO 4217
 * @param providerRef the provider's own name for it, 0 … 128 characters
 */
public record PaymentNotice(
    String paymentId,
    OrderId orderId,
    Status status,
    long amountMinor,
    String currency,
    String providerRef) {

  /** How a payment ended at the provider. */
  public enum Status {
    /** The money is there. */
    PAID,
    /** No money was taken and none will be. */
    FAILED
  }
}

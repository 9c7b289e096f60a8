package io.seckill.common.bus;

/**
 * A payment that is open.
 *
 * @param paymentId its name here and at the provider
 * @param redirectUrl where the buyer pays
 * @param amountMinor what is to be paid, in minor units
 * @param currency ISO 4217
 * @param payByMs when the time to pay ends, MySQL time, epoch milliseconds
 * @param created false when it was open before
 */
public record PaymentStarted(
    String paymentId,
    String redirectUrl,
    long amountMinor,
    String currency,
    long payByMs,
    boolean created) {}

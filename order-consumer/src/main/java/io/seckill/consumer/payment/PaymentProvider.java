package io.seckill.consumer.payment;

import io.seckill.common.bus.PaymentNotice;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Who takes the buyers' money. Every request is safe to repeat under the same payment id; a failed
 * future means that nothing is known. That a payment ended, the provider says by itself, through
 * the gateway; {@link #query} is for when that got lost.
 */
interface PaymentProvider {

  /**
   * Makes a payment known to the provider.
   *
   * @return the address where the buyer pays; the same when asked again
   */
  Future<String> start(Payment payment);

  /**
   * What the provider would report of a payment.
   *
   * @return empty while it is open there, or not known there
   */
  Future<Optional<PaymentNotice>> query(Payment payment);

  /**
   * Sends the whole money of a payment back, once however often it is asked.
   *
   * @return completes when the provider has taken it upon itself
   */
  Future<Void> refund(Payment payment);

  /** Lets connections go. */
  Future<Void> close();
}

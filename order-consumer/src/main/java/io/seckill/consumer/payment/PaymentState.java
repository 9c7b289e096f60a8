package io.seckill.consumer.payment;

/** Where a payment stands, as its row says. Only PAID is final. */
enum PaymentState {
  /** It is the buyer's turn. */
  OPEN,
  /** The money came: it paid the order, or there is a refund of it. */
  PAID,
  /** No money came, as the provider says. */
  FAILED,
  /** The provider told another amount or currency; for people to look at. */
  MISMATCH
}

package io.seckill.consumer.payment;

/** What came of a provider's notice. */
enum NoticeOutcome {
  /** The order is paid. */
  PAID,
  /** The money came, but the order does not wait for it any more: it goes back. */
  LATE,
  /** Nothing was paid; the buyer may try again. */
  FAILED,
  /** Another amount or currency than the payment's: nothing is paid by it. */
  MISMATCH,
  /** It was known. */
  REPEATED,
  /** There is no such payment of that order. */
  UNKNOWN
}

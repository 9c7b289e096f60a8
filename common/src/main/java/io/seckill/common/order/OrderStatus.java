package io.seckill.common.order;

/** The life of an order. */
public enum OrderStatus {
  /** Won and in the log; not stored yet. */
  ACCEPTED,
  /** Stored; waits for the money. */
  PENDING_PAYMENT,
  /** Paid. */
  PAID,
  /** Ended before payment; the units went back. */
  CANCELLED,
  /** Can never be fulfilled; the reason says why, the units went back. */
  FAILED,
  /** The money is to go back; the units went back. */
  REFUND_PENDING,
  /** The money went back. */
  REFUNDED
}

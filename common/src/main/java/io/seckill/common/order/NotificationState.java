package io.seckill.common.order;

/** How far telling somebody of an order's change has come. */
public enum NotificationState {
  /** The receiver has not taken it yet. */
  PENDING,
  /** The receiver has taken it. */
  DONE,
  /** It failed as often as is allowed; an operator can have it tried again. */
  DEAD
}

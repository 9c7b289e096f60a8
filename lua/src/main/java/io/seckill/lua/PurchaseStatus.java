package io.seckill.lua;

/** What {@code decide_purchases} says of one purchase. The names are the words of the script. */
public enum PurchaseStatus {
  /** Units taken; the entry is the win's. */
  WIN,
  /** An earlier win under the same key; the entry is that win's. */
  REPLAY,
  /** The same key with another body. */
  CONFLICT,
  /** The item is not known here or not preheated. */
  NOT_READY,
  /** Before the opening; the number is the milliseconds until then. */
  NOT_STARTED,
  /** After the end. */
  ENDED,
  /** Held by an operator. */
  PAUSED,
  /** Would exceed the limit; the entry is the latest held win's. */
  LIMIT,
  /** This shard has too few units; the number is what it has. */
  DRY,
  /** The user's window is full; the number is the milliseconds to wait. */
  WINDOW,
  /** Keys that must be there are not: the shard is frozen. */
  LOST,
  /** The log is at its memory bound. */
  LOG_FULL,
  /** Redis refused the log entry: out of memory, or the log is broken. */
  NOT_WRITTEN,
  /**
   * Lines that can never be an order: several currencies, or a quantity that no gateway lets
   * through.
   */
  INVALID
}

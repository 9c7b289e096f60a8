package io.seckill.lua;

/** What {@code decide_purchases} says of one purchase. The names are the words of the script. */
public enum PurchaseStatus {
  /** Units taken; the entry is the win's. */
  WIN(true),
  /** An earlier win under the same key; the entry is that win's. */
  REPLAY,
  /** The same key with another body. */
  CONFLICT,
  /** The item is not known here or not preheated. */
  NOT_READY,
  /** Before the opening; the number is the milliseconds until then. */
  NOT_STARTED(true),
  /** After the end. */
  ENDED,
  /** Held by an operator: this item, or all sales by the stop switch. */
  PAUSED,
  /** The call named another group of an item than the shard knows: learn the item again. */
  GROUP,
  /**
   * Would exceed the limit of the item or of its group; the entry is the latest held win's of an
   * item of the purchase, null when there is none.
   */
  LIMIT,
  /** Others wait for units of an item of the purchase: whoever comes now is not served before. */
  LINE,
  /** This shard has too few units; the number is what it has. */
  DRY(true),
  /** The user's window is full; the number is the milliseconds to wait. */
  WINDOW(true),
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
  INVALID;

  private final boolean hasNumber;

  PurchaseStatus() {
    this(false);
  }

  PurchaseStatus(boolean hasNumber) {
    this.hasNumber = hasNumber;
  }

  /** Whether the script tells a number with the word. */
  boolean hasNumber() {
    return hasNumber;
  }
}

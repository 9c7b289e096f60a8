package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The buyer's name for one purchase: the same key and body always lead to the same order. Its scope
 * is (user, item).
 *
 * @param value {@code [A-Za-z0-9_.:-]{1,64}}; {@code -} alone stands for "no key" and is what a
 *     keyless purchase carries
 */
public record IdempotencyKey(String value) {

  /**
   * What a purchase without a key carries: a replay while its win is held, a new purchase once it
   * is released.
   */
  public static final IdempotencyKey NONE = new IdempotencyKey("-");

  private static final int MAX_LENGTH = 64;

  /** Checks the pattern. */
  public IdempotencyKey {
    if (!isValid(value)) {
      throw new IllegalArgumentException("an idempotency key matches [A-Za-z0-9_.:-]{1,64}");
    }
  }

  /** As the constructor; the creator that JSON binding uses. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static IdempotencyKey of(String value) {
    return new IdempotencyKey(value);
  }

  /** Whether a text may be a key; never throws. */
  public static boolean isValid(String text) {
    return Ascii.isWord(text, MAX_LENGTH, "_.:-");
  }

  /** Whether this stands for "no key". */
  public boolean isNone() {
    return value.equals("-");
  }

  @JsonValue
  @Override
  public String toString() {
    return value;
  }
}

package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Units asked for in one line of a purchase.
 *
 * @param value 1 … {@value #MAX}
 */
public record Quantity(@JsonValue int value) {

  /** The most that one line may ask for; the limit per user has the same bound. */
  public static final int MAX = 100;

  /** Checks the range. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public Quantity {
    if (value < 1 || value > MAX) {
      throw new IllegalArgumentException("a quantity is an integer from 1 to " + MAX);
    }
  }
}

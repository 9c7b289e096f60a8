package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * What a buyer sees of a win: 26 characters of Crockford base 32, sealed by {@link OrderIds}. Says
 * nothing about how many orders there are and cannot be guessed.
 *
 * @param value 26 upper-case characters of Crockford's alphabet
 */
public record OrderId(String value) {

  /** The length of every order id. */
  public static final int LENGTH = 26;

  /** Checks length and alphabet; whether the id opens is for {@link OrderIds#open} to say. */
  public OrderId {
    if (value.length() != LENGTH || !Crockford32.isCanonical(value)) {
      throw new IllegalArgumentException("an order id is 26 characters of Crockford base 32");
    }
  }

  /** As the constructor; the creator that JSON binding uses. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static OrderId of(String value) {
    return new OrderId(value);
  }

  @JsonValue
  @Override
  public String toString() {
    return value;
  }
}

package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Identifies an item. A positive 64-bit integer, a string in all JSON, because JavaScript loses
 * digits above 2^53.
 *
 * @param value 1 … 2^63−1
 */
public record ItemId(long value) implements Comparable<ItemId> {

  private static final int MAX_DIGITS = 19;

  /** Checks the range. */
  public ItemId {
    if (value < 1) {
      throw new IllegalArgumentException("an item id is a positive integer");
    }
  }

  /**
   * Reads the one canonical spelling: ASCII digits without sign, blank or leading zero.
   *
   * @throws IllegalArgumentException for anything else, "007" and numbers above 2^63−1 included
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static ItemId parse(String text) {
    return new ItemId(canonicalPositive(text));
  }

  private static long canonicalPositive(String text) {
    if (text.isEmpty() || text.length() > MAX_DIGITS || text.charAt(0) == '0') {
      throw new IllegalArgumentException("an item id is a positive integer without leading zeros");
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        throw new IllegalArgumentException("an item id has digits only");
      }
    }
    return Long.parseLong(text);
  }

  @Override
  public int compareTo(ItemId other) {
    return Long.compare(value, other.value);
  }

  /** The canonical spelling; what stands in keys, streams, columns and JSON. */
  @JsonValue
  @Override
  public String toString() {
    return Long.toString(value);
  }
}

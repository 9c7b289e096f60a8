package io.seckill.common.id;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Identifies a buyer or operator. Only ever taken from a verified token; compared byte by byte
 * everywhere.
 *
 * @param value {@code [A-Za-z0-9_.@-]{1,64}}
 */
public record UserId(String value) implements Comparable<UserId> {

  private static final int MAX_LENGTH = 64;

  /** Checks the pattern, so that no id can break a key, a log line or a column. */
  public UserId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("a user id matches [A-Za-z0-9_.@-]{1,64}");
    }
  }

  /** As the constructor; the creator that JSON binding uses. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static UserId of(String value) {
    return new UserId(value);
  }

  /** Whether a text may be a user id; never throws. */
  public static boolean isValid(String text) {
    return Ascii.isWord(text, MAX_LENGTH, "_.@-");
  }

  @Override
  public int compareTo(UserId other) {
    return value.compareTo(other.value);
  }

  @JsonValue
  @Override
  public String toString() {
    return value;
  }
}

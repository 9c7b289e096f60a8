package io.seckill.consumer.store;

/**
 * Why an entry can never become what it says, and what it said.
 *
 * @param reason a bounded word, at most 32 characters
 * @param detail one sentence for operators, at most {@value #MAX_DETAIL} characters
 * @param payload the entry's fields as JSON text, cut at {@value #MAX_PAYLOAD} characters
 */
public record Letter(String reason, String detail, String payload) {

  /** No script of ours wrote it. */
  public static final String MALFORMED = "MALFORMED";

  /** It was in the log, and was deleted before it was stored. */
  public static final String DELETED = "DELETED";

  /** Its number was given out, and the log does not have it. */
  public static final String MISSING = "MISSING";

  /** Somebody else than our scripts wrote it: its epoch was never claimed. */
  public static final String FOREIGN = "FOREIGN";

  /** MySQL cannot hold a value of it. */
  public static final String DATA = "DATA";

  /** Storing it alone failed again and again, and nobody knows why. */
  public static final String ERROR = "ERROR";

  static final int MAX_DETAIL = 500;
  static final int MAX_PAYLOAD = 16_384;

  /** Cuts what is too long: a letter must always be storable. */
  public Letter {
    detail = cut(detail == null ? "" : detail, MAX_DETAIL);
    payload = cut(payload, MAX_PAYLOAD);
  }

  private static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    // Not through the middle of a surrogate pair: MySQL would refuse the half.
    int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
    return text.substring(0, end);
  }
}

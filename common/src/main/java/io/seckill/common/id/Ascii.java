package io.seckill.common.id;

/** Checks texts that must be the same bytes in keys, columns, logs and URLs. Never throws. */
public final class Ascii {

  private Ascii() {}

  /**
   * Whether a text has 1 to {@code maxLength} characters, each an ASCII letter, an ASCII digit or
   * one of {@code punctuation}.
   *
   * @param text may be null, which is no such text
   */
  public static boolean isWord(String text, int maxLength, String punctuation) {
    if (text == null || text.isEmpty() || text.length() > maxLength) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean allowed =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || punctuation.indexOf(c) >= 0;
      if (!allowed) {
        return false;
      }
    }
    return true;
  }
}

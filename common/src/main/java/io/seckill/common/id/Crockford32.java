package io.seckill.common.id;

import java.util.Arrays;

/**
 * 128 bits as 26 characters of Crockford's base 32 (digits and upper-case letters without I, L, O
 * and U). The first character carries only three bits. Alphabet: Douglas Crockford, "Base 32".
 */
final class Crockford32 {

  private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
  private static final byte[] VALUES = new byte[128];

  static {
    Arrays.fill(VALUES, (byte) -1);
    for (int i = 0; i < ALPHABET.length; i++) {
      VALUES[ALPHABET[i]] = (byte) i;
    }
  }

  private Crockford32() {}

  static boolean isCanonical(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 128 || VALUES[c] < 0) {
        return false;
      }
    }
    // 26 characters hold 130 bits; the first may use only its lower three.
    return VALUES[text.charAt(0)] < 8;
  }

  static String encode(long high, long low) {
    char[] out = new char[OrderId.LENGTH];
    long h = high;
    long l = low;
    for (int i = out.length - 1; i >= 0; i--) {
      out[i] = ALPHABET[(int) (l & 31)];
      l = (l >>> 5) | (h << 59);
      h >>>= 5;
    }
    return new String(out);
  }

  /** Returns {high, low} of a canonical text. */
  static long[] decode(String text) {
    long high = 0;
    long low = 0;
    for (int i = 0; i < text.length(); i++) {
      high = (high << 5) | (low >>> 59);
      low = (low << 5) | VALUES[text.charAt(i)];
    }
    return new long[] {high, low};
  }
}

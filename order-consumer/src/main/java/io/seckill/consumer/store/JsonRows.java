package io.seckill.consumer.store;

/**
 * Writes rows for JSON_TABLE: an array of arrays of numbers and texts. Made by hand, because it is
 * most of what storing an order costs in this process.
 */
final class JsonRows {

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final StringBuilder text = new StringBuilder(4_096).append('[');
  private int rows;
  private boolean firstCell;

  JsonRows row() {
    text.append(rows++ == 0 ? "[" : ",[");
    firstCell = true;
    return this;
  }

  JsonRows add(long number) {
    comma();
    text.append(number);
    return this;
  }

  JsonRows add(String value) {
    comma();
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        text.append("\\u")
            .append(HEX[c >> 12])
            .append(HEX[(c >> 8) & 15])
            .append(HEX[(c >> 4) & 15])
            .append(HEX[c & 15]);
      } else {
        text.append(c);
      }
    }
    text.append('"');
    return this;
  }

  void end() {
    text.append(']');
  }

  int rows() {
    return rows;
  }

  boolean isEmpty() {
    return rows == 0;
  }

  /** The whole array. */
  String json() {
    return text + "]";
  }

  private void comma() {
    if (!firstCell) {
      text.append(',');
    }
    firstCell = false;
  }
}

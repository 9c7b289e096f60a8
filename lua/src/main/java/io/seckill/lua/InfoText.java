package io.seckill.lua;

/** Reads the {@code name:value} lines of INFO and CLUSTER INFO. */
final class InfoText {

  private InfoText() {}

  /**
   * The value of a field.
   *
   * @throws IllegalStateException when the text has no such field
   */
  static String field(String text, String name) {
    return text.lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("INFO has no " + name));
  }
}

package io.seckill.launcher.sandbox;

import java.util.Map;

/**
 * What is to become of a payment, and how badly the sandbox is to behave about it.
 *
 * @param pays whether the money comes
 * @param delayMs how long the sandbox waits before it tells the shop
 * @param copies how often it tells the shop; 0 is a callback that got lost
 * @param tellsWrongAmount whether it tells another amount than was paid
 * @param refundRefusals how many requests to give the money back it refuses before it obeys
 */
record SandboxWish(
    boolean pays, long delayMs, int copies, boolean tellsWrongAmount, int refundRefusals) {

  static final long MAX_DELAY_MS = 600_000;
  static final int MAX_COPIES = 10;
  static final int MAX_REFUSALS = 100;

  /**
   * Reads a form; what it does not name is as an honest provider does it.
   *
   * @throws IllegalArgumentException when a field is not as the page offers it
   */
  static SandboxWish of(Map<String, String> form) {
    String outcome = form.getOrDefault("outcome", "");
    if (!outcome.equals("pay") && !outcome.equals("fail")) {
      throw new IllegalArgumentException("outcome is pay or fail");
    }
    return new SandboxWish(
        outcome.equals("pay"),
        number(form, "delayMs", 0, MAX_DELAY_MS),
        (int) number(form, "copies", 1, MAX_COPIES),
        number(form, "wrongAmount", 0, 1) == 1,
        (int) number(form, "refundRefusals", 0, MAX_REFUSALS));
  }

  private static long number(Map<String, String> form, String field, long otherwise, long max) {
    String text = form.get(field);
    if (text == null) {
      return otherwise;
    }
    if (!text.matches("[0-9]{1,9}") || Long.parseLong(text) > max) {
      throw new IllegalArgumentException(field + " is a number from 0 to " + max);
    }
    return Long.parseLong(text);
  }
}

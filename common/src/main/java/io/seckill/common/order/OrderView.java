package io.seckill.common.order;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import java.util.List;

/**
 * An order as its buyer sees it.
 *
 * @param orderId the sealed id
 * @param status where it stands
 * @param reason why it ended, empty while it has not: {@code LOST}, {@code user}, {@code timeout} …
 * @param lines what was won; empty when the entry is not readable yet
 * @param totalMinor price of all lines in minor units
 * @param currency ISO 4217, empty when the entry is not readable yet
 * @param wonAtMs when the script decided, Redis time; 0 when not readable yet
 * @param payByMs when the time to pay ends, MySQL time; 0 before it is stored
 * @param promoted whether the units came to him from the waitlist
 */
public record OrderView(
    OrderId orderId,
    OrderStatus status,
    String reason,
    List<Line> lines,
    long totalMinor,
    String currency,
    long wonAtMs,
    long payByMs,
    boolean promoted) {

  /** Copies the lines. */
  public OrderView {
    lines = List.copyOf(lines);
  }

  /**
   * One line.
   *
   * @param item what
   * @param quantity units
   * @param priceMinor price of one unit when it was won
   */
  public record Line(ItemId item, int quantity, long priceMinor) {}
}

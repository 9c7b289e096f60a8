package io.seckill.consumer.store;

import io.seckill.common.log.LogEntry;
import io.seckill.common.order.OrderStatus;

/**
 * A new row of the table of orders.
 *
 * @param win its name, its user and his digests
 * @param status where it begins
 * @param reason why it is FAILED, else empty
 * @param held units that it holds
 * @param quantity units of all lines
 * @param totalMinor price of all lines
 * @param currency of all lines
 * @param payWithinMs time to pay
 * @param promoted whether the units came from the waitlist
 */
record OrderRow(
    LogEntry.Win win,
    OrderStatus status,
    String reason,
    int held,
    int quantity,
    long totalMinor,
    String currency,
    long payWithinMs,
    boolean promoted) {

  void addTo(JsonRows rows) {
    rows.row()
        .add(win.id().seq())
        .add(win.user().value())
        .add(win.keyDigest())
        .add(win.bodyDigest())
        .add(status.name())
        .add(reason)
        .add(held)
        .add(quantity)
        .add(totalMinor)
        .add(currency)
        .add(win.atMs())
        .add(payWithinMs)
        .add(promoted ? 1 : 0)
        .end();
  }

  /** Its line, as a row of the table of lines. */
  static void addLine(JsonRows rows, LogEntry.Win win, LogEntry.WinLine line) {
    rows.row()
        .add(win.id().seq())
        .add(line.item().value())
        .add(win.user().value())
        .add(line.quantity())
        .add(line.priceMinor())
        .add(line.limitPerUser())
        .end();
  }
}

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

  /** Its lines, as rows of the table of lines. */
  void addLinesTo(JsonRows rows) {
    for (LogEntry.WinLine line : win.lines()) {
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

  /** Whether it has one line, and differs in {@link #addWhatDiffers} only. */
  boolean isLike(OrderRow other) {
    return win.lines().size() == 1
        && win.lines().equals(other.win.lines())
        && status == other.status
        && reason.equals(other.reason)
        && held == other.held
        && promoted == other.promoted;
  }

  /** What it does not share with orders that are like it. */
  void addWhatDiffers(JsonRows rows) {
    rows.row()
        .add(win.id().seq())
        .add(win.user().value())
        .add(win.keyDigest())
        .add(win.bodyDigest())
        .add(win.atMs())
        .end();
  }
}

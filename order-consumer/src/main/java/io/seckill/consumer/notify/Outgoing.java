package io.seckill.consumer.notify;

import io.seckill.common.order.OrderStatus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/**
 * A notification that this worker has taken.
 *
 * @param id the receiver's name for it
 * @param user whose order
 * @param orderId the sealed id
 * @param status what the order became
 * @param reason why it ended, empty when it did not
 * @param promoted whether the units came from the waitlist
 * @param tries calls, this one included
 * @param atMs when it was written, MySQL time
 */
record Outgoing(
    long id,
    String user,
    String orderId,
    OrderStatus status,
    String reason,
    boolean promoted,
    int tries,
    long atMs) {

  /** Of a row of FIND_DUE_NOTIFICATIONS. */
  static Outgoing of(Row row) {
    return new Outgoing(
        row.getLong(0),
        row.getString(1),
        row.getString(2),
        OrderStatus.valueOf(row.getString(3)),
        row.getString(4),
        row.getInteger(5) == 1,
        row.getInteger(6) + 1,
        row.getLong(7));
  }

  /** What the receiver gets: the same bytes each time. */
  Buffer body() {
    return new JsonObject()
        .put("id", Long.toString(id))
        .put("kind", kind())
        .put("at", DateTimeFormatter.ISO_INSTANT.format(Instant.ofEpochMilli(atMs)))
        .put("user", user)
        .put("orderId", orderId)
        .put("status", status.name())
        .put("reason", reason)
        .put("promoted", promoted)
        .toBuffer();
  }

  private String kind() {
    return switch (status) {
      case PENDING_PAYMENT -> "order.pending";
      case PAID -> "order.paid";
      case CANCELLED -> "order.cancelled";
      case FAILED -> "order.failed";
      case REFUND_PENDING -> "order.refund_pending";
      case REFUNDED -> "order.refunded";
      case ACCEPTED -> throw new IllegalStateException("nobody is told what is not stored");
    };
  }
}

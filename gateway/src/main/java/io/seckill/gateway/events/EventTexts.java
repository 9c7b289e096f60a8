package io.seckill.gateway.events;

import io.seckill.common.bus.OrderEvent;
import io.seckill.common.id.ItemId;
import io.seckill.gateway.GatewayMetrics.EventType;
import io.seckill.gateway.http.Json;
import io.vertx.core.buffer.Buffer;

/**
 * Events as they stand on a stream: the format of server-sent events (WHATWG HTML §9.2), with one
 * JSON object in a line as data.
 */
final class EventTexts {

  /** A comment: says that both ends are there, and nothing else. */
  static final Buffer HEARTBEAT = Buffer.buffer(":\n\n");

  private EventTexts() {}

  /** Why a stream ends for which coming again at once would not help. */
  enum End {
    /** The user has opened another one, and may have only so many. */
    REPLACED,
    /** The token is good no longer. */
    TOKEN_EXPIRED
  }

  /** When to come again after the connection was lost. */
  static Buffer retry(long ms) {
    return Buffer.buffer("retry: " + ms + "\n\n");
  }

  static Buffer end(End why) {
    return Buffer.buffer("event: end\ndata: {\"reason\":\"" + why.name() + "\"}\n\n");
  }

  static Buffer order(OrderEvent order) {
    return event(
        EventType.ORDER,
        "id: " + order.atMs() + "\n",
        json -> {
          json.writeStringField("orderId", order.orderId().value());
          json.writeStringField("status", order.status().name());
          if (!order.reason().isEmpty()) {
            json.writeStringField("reason", order.reason());
          }
          json.writeBooleanField("promoted", order.promoted());
        });
  }

  /**
   * A place in line.
   *
   * @param place 0 for somebody who is not in it any more
   * @param waiting how many are
   */
  static Buffer place(ItemId item, long place, long waiting) {
    return event(
        EventType.PLACE,
        "",
        json -> {
          json.writeStringField("itemId", item.toString());
          if (place > 0) {
            json.writeNumberField("place", place);
          } else {
            json.writeNullField("place");
          }
          json.writeNumberField("waiting", waiting);
        });
  }

  static Buffer item(ItemId item, ItemTopic.State state) {
    return event(
        EventType.ITEM,
        "",
        json -> {
          json.writeStringField("itemId", item.toString());
          json.writeStringField("state", state.state().name());
          json.writeBooleanField("onSale", state.onSale());
          json.writeBooleanField("soldOut", state.soldOut());
          json.writeNumberField("remaining", state.remaining());
          json.writeNumberField("waiting", state.waiting());
        });
  }

  private static Buffer event(EventType type, String id, Json.Fields data) {
    return Buffer.buffer("event: " + type.tag() + '\n' + id + "data: ")
        .appendBuffer(Json.object(data))
        .appendString("\n\n");
  }
}

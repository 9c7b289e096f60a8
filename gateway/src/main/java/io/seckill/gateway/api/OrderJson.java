package io.seckill.gateway.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.order.OrderView;
import io.seckill.gateway.http.Times;
import java.io.IOException;

/** An order as its buyer reads it. Fields that are not known yet are left out. */
final class OrderJson {

  private OrderJson() {}

  static void write(JsonGenerator json, OrderView order) throws IOException {
    json.writeStringField("orderId", order.orderId().value());
    json.writeStringField("status", order.status().name());
    if (!order.reason().isEmpty()) {
      json.writeStringField("reason", order.reason());
    }
    json.writeBooleanField("promoted", order.promoted());
    if (!order.lines().isEmpty()) {
      writeLines(json, order);
    }
    if (order.wonAtMs() > 0) {
      json.writeStringField("wonAt", Times.rfc3339(order.wonAtMs()));
    }
    if (order.payByMs() > 0) {
      json.writeStringField("payBy", Times.rfc3339(order.payByMs()));
    }
  }

  private static void writeLines(JsonGenerator json, OrderView order) throws IOException {
    json.writeArrayFieldStart("lines");
    for (OrderView.Line line : order.lines()) {
      json.writeStartObject();
      json.writeStringField("itemId", line.item().toString());
      json.writeNumberField("quantity", line.quantity());
      json.writeNumberField("priceMinor", line.priceMinor());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberField("totalMinor", order.totalMinor());
    json.writeStringField("currency", order.currency());
  }
}

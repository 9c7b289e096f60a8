package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.bus.DeadLetter;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.seckill.gateway.http.Times;
import java.io.IOException;

/** A dead letter as an operator reads it. */
final class LetterJson {

  private LetterJson() {}

  /** One letter, whole. */
  static Reply reply(DeadLetter letter) {
    return Reply.json(
        200,
        Json.object(
            json -> {
              write(json, letter);
              json.writeStringField("payload", letter.payload());
            }));
  }

  /** Writes the fields, without the payload. */
  static void write(JsonGenerator json, DeadLetter letter) throws IOException {
    json.writeStringField("id", letter.id().toString());
    json.writeStringField("state", letter.state().name());
    json.writeStringField("reason", letter.reason());
    json.writeStringField("detail", letter.detail());
    if (letter.user() != null) {
      json.writeStringField("user", letter.user().value());
    }
    if (letter.orderId() != null) {
      json.writeStringField("orderId", letter.orderId().value());
    }
    json.writeArrayFieldStart("units");
    for (DeadLetter.Units units : letter.units()) {
      json.writeStartObject();
      json.writeStringField("itemId", units.item().toString());
      json.writeNumberField("units", units.units());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeStringField("openedAt", Times.rfc3339(letter.openedAtMs()));
    if (letter.closedAtMs() != 0) {
      json.writeStringField("closedAt", Times.rfc3339(letter.closedAtMs()));
    }
  }
}

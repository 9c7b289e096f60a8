package io.seckill.gateway.board;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.bus.ItemView;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Times;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;

/** Items as JSON, for buyers. */
public final class ItemJson {

  private ItemJson() {}

  /**
   * JSON whose first field, the server time, is put in for each answer; all else is made once.
   *
   * @param rest everything after that field, braces included
   */
  public record Page(Buffer rest) {

    /** The whole text at a moment. */
    public Buffer at(long serverTimeMs) {
      return Buffer.buffer(rest.length() + 64)
          .appendString("{\"serverTime\":\"")
          .appendString(Times.rfc3339(serverTimeMs))
          .appendString("\",")
          .appendBuffer(rest);
    }
  }

  /**
   * A list of items.
   *
   * @param stopped whether all sales are stopped
   */
  public static Page list(List<ItemView> items, boolean stopped) {
    return page(
        json -> {
          json.writeArrayFieldStart("items");
          for (ItemView view : items) {
            json.writeStartObject();
            write(json, view, stopped);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /**
   * One item.
   *
   * @param stopped whether all sales are stopped
   */
  public static Page one(ItemView view, boolean stopped) {
    return page(json -> write(json, view, stopped));
  }

  private static void write(JsonGenerator json, ItemView view, boolean stopped) throws IOException {
    writeDefinition(json, view.definition());
    json.writeStringField("state", stateForBuyers(view.state(), stopped).name());
    json.writeNumberField("remaining", view.remaining());
    json.writeBooleanField("soldOut", view.soldOut());
    json.writeNumberField("waiting", view.waiting());
  }

  /**
   * A buyer need not know who holds the sale; items that sell nothing anyway stay what they are.
   */
  public static ItemState stateForBuyers(ItemState state, boolean stopped) {
    return stopped && state == ItemState.OPEN ? ItemState.PAUSED : state;
  }

  /** The fields that an operator has set. */
  public static void writeDefinition(JsonGenerator json, ItemDefinition item) throws IOException {
    json.writeStringField("itemId", item.id().toString());
    json.writeStringField("name", item.name());
    json.writeNumberField("priceMinor", item.priceMinor());
    json.writeStringField("currency", item.currency());
    json.writeStringField("picture", item.picture());
    json.writeNumberField("limitPerUser", item.limitPerUser());
    json.writeStringField("startsAt", Times.rfc3339(item.startsAtMs()));
    json.writeStringField("endsAt", Times.rfc3339(item.endsAtMs()));
    json.writeNumberField("payWithinMs", item.payWithinMs());
    if (item.group() != null) {
      json.writeObjectFieldStart("group");
      json.writeStringField("id", item.group().id());
      json.writeNumberField("limitPerUser", item.group().limitPerUser());
      json.writeEndObject();
    }
  }

  private static Page page(Json.Fields fields) {
    Buffer whole = Json.object(fields);
    return new Page(whole.getBuffer(1, whole.length()));
  }
}

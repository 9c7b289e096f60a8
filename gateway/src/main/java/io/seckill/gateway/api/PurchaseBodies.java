package io.seckill.gateway.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.seckill.common.bus.PurchaseRequest;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.order.PurchaseLine;
import io.seckill.gateway.http.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads what a buyer wants. Everything that is not exactly that is INVALID_REQUEST. */
final class PurchaseBodies {

  private static final int MAX_ITEM_CHARS = 19;

  private PurchaseBodies() {}

  /**
   * Reads {@code {"quantity":1}}.
   *
   * @throws SeckillException INVALID_REQUEST
   */
  static Quantity quantity(byte[] body) {
    LineFields fields = new LineFields(false);
    Json.read(body, fields::read);
    return fields.quantity();
  }

  /**
   * Reads {@code {"lines":[{"itemId":"1","quantity":1}]}}.
   *
   * @return 1 to {@value PurchaseRequest#MAX_LINES} lines by item id ascending, no item twice
   * @throws SeckillException INVALID_REQUEST
   */
  static List<PurchaseLine> lines(byte[] body) {
    List<PurchaseLine> lines = new ArrayList<>(PurchaseRequest.MAX_LINES);
    Json.read(
        body,
        (name, value) -> {
          if (!name.equals("lines")) {
            return false;
          }
          readLines(value, lines);
          return true;
        });
    if (lines.isEmpty()) {
      throw Json.invalid("'lines' must have at least one line.");
    }
    lines.sort(Comparator.comparing(PurchaseLine::item));
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i - 1).item().equals(lines.get(i).item())) {
        throw Json.invalid("'lines' names an item twice.");
      }
    }
    return lines;
  }

  private static void readLines(JsonParser value, List<PurchaseLine> lines) throws IOException {
    if (value.currentToken() != JsonToken.START_ARRAY) {
      throw Json.invalid("'lines' must be an array.");
    }
    while (value.nextToken() != JsonToken.END_ARRAY) {
      if (lines.size() == PurchaseRequest.MAX_LINES) {
        throw Json.invalid("'lines' has more than " + PurchaseRequest.MAX_LINES + " lines.");
      }
      LineFields fields = new LineFields(true);
      Json.readFields(value, fields::read);
      lines.add(new PurchaseLine(fields.item(), fields.quantity()));
    }
  }

  private static final class LineFields {

    private final boolean withItem;
    private ItemId item;
    private Quantity quantity;

    LineFields(boolean withItem) {
      this.withItem = withItem;
    }

    boolean read(String name, JsonParser value) throws IOException {
      if (name.equals("quantity")) {
        quantity = new Quantity((int) Json.integer(value, "quantity", 1, Quantity.MAX));
        return true;
      }
      if (withItem && name.equals("itemId")) {
        item = itemId(Json.text(value, "itemId", MAX_ITEM_CHARS));
        return true;
      }
      return false;
    }

    ItemId item() {
      if (item == null) {
        throw Json.invalid("'itemId' is missing.");
      }
      return item;
    }

    Quantity quantity() {
      if (quantity == null) {
        throw Json.invalid("'quantity' is missing.");
      }
      return quantity;
    }

    private static ItemId itemId(String text) {
      try {
        return ItemId.parse(text);
      } catch (IllegalArgumentException e) {
        throw Json.invalid("'itemId' must be a positive integer as a string.");
      }
    }
  }
}

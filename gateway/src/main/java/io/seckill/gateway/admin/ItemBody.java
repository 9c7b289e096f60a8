package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonParser;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.Quantity;
import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemGroup;
import io.seckill.gateway.http.Json;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Reads a new item. */
final class ItemBody {

  private static final int MAX_ITEM_CHARS = 19;
  private static final int MAX_NAME_CHARS = 200;
  private static final int MAX_PICTURE_CHARS = 500;
  private static final int MAX_GROUP_CHARS = 64;
  private static final long MAX_PRICE_MINOR = 1_000_000_000_000L;
  private static final long DEFAULT_PAY_WITHIN_MS = TimeUnit.MINUTES.toMillis(15);
  private static final long MIN_PAY_WITHIN_MS = 1_000;
  private static final long MAX_PAY_WITHIN_MS = TimeUnit.DAYS.toMillis(30);

  private ItemId itemId;
  private String name;
  private Long priceMinor;
  private String currency;
  private String picture = "";
  private int limitPerUser = 1;
  private Long startsAtMs;
  private Long endsAtMs;
  private long payWithinMs = DEFAULT_PAY_WITHIN_MS;
  private Long stock;
  private ItemGroup group;
  private String requestId;

  private ItemBody() {}

  /**
   * Reads a body.
   *
   * @throws io.seckill.common.error.SeckillException INVALID_REQUEST
   */
  static ItemBody read(byte[] body) {
    ItemBody item = new ItemBody();
    Json.read(body, item::field);
    item.check();
    return item;
  }

  ItemDefinition definition() {
    return new ItemDefinition(
        itemId,
        name,
        priceMinor,
        currency,
        picture,
        limitPerUser,
        startsAtMs,
        endsAtMs,
        payWithinMs,
        group);
  }

  long stock() {
    return stock;
  }

  /** Null when the body has none. */
  String requestId() {
    return requestId;
  }

  private boolean field(String field, JsonParser value) throws IOException {
    switch (field) {
      case "itemId" -> itemId = itemId(Json.text(value, field, MAX_ITEM_CHARS));
      case "name" -> name = printable(Json.text(value, field, MAX_NAME_CHARS), field);
      case "priceMinor" -> priceMinor = Json.integer(value, field, 0, MAX_PRICE_MINOR);
      case "currency" -> currency = Json.text(value, field, 3);
      case "picture" -> picture = printable(Json.text(value, field, MAX_PICTURE_CHARS), field);
      case "limitPerUser" -> limitPerUser = (int) Json.integer(value, field, 1, Quantity.MAX);
      case "startsAt" -> startsAtMs = AdminRequests.timeIn(value, field);
      case "endsAt" -> endsAtMs = AdminRequests.timeIn(value, field);
      case "payWithinMs" ->
          payWithinMs = Json.integer(value, field, MIN_PAY_WITHIN_MS, MAX_PAY_WITHIN_MS);
      case "group" -> group = group(value);
      case "stock" -> stock = Json.integer(value, field, 0, AdminRequests.MAX_UNITS);
      case "requestId" -> requestId = AdminRequests.requestIdIn(value);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void check() {
    AdminRequests.require(itemId, "itemId");
    AdminRequests.require(name, "name");
    AdminRequests.require(priceMinor, "priceMinor");
    AdminRequests.require(currency, "currency");
    AdminRequests.require(startsAtMs, "startsAt");
    AdminRequests.require(endsAtMs, "endsAt");
    AdminRequests.require(stock, "stock");
    if (name.isBlank()) {
      throw Json.invalid("'name' must not be blank.");
    }
    if (!currency.matches("[A-Z]{3}")) {
      throw Json.invalid("'currency' must be three upper-case letters.");
    }
    if (!picture.isEmpty() && !isPath(picture) && !picture.startsWith("https://")) {
      throw Json.invalid("'picture' must be a path or an https URL.");
    }
    AdminRequests.checkWindow(startsAtMs, endsAtMs);
  }

  /** Browsers take two slashes, and also a backslash after one, for the start of a host's name. */
  private static boolean isPath(String text) {
    return text.startsWith("/") && !text.startsWith("//") && !text.startsWith("/\\");
  }

  private static ItemId itemId(String text) {
    try {
      return ItemId.parse(text);
    } catch (IllegalArgumentException e) {
      throw Json.invalid("'itemId' must be a positive integer as a string.");
    }
  }

  private static ItemGroup group(JsonParser value) throws IOException {
    String[] id = {null};
    int[] limit = {0};
    Json.readFields(
        value,
        (field, part) -> {
          switch (field) {
            case "id" -> id[0] = Json.text(part, "group.id", MAX_GROUP_CHARS);
            case "limitPerUser" ->
                limit[0] = (int) Json.integer(part, "group.limitPerUser", 1, Quantity.MAX);
            default -> {
              return false;
            }
          }
          return true;
        });
    AdminRequests.require(id[0], "group.id");
    AdminRequests.require(limit[0] == 0 ? null : limit[0], "group.limitPerUser");
    try {
      return new ItemGroup(id[0], limit[0]);
    } catch (IllegalArgumentException e) {
      throw Json.invalid("'group.id' must match [A-Za-z0-9_.-]{1,64}.");
    }
  }

  /** No control characters and no half characters: they break logs, columns and pages. */
  private static String printable(String text, String field) {
    boolean good =
        text.codePoints()
            .allMatch(
                c -> !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE);
    if (!good) {
      throw Json.invalid("'" + field + "' has characters that cannot be shown.");
    }
    return text;
  }
}

package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonParser;
import io.seckill.common.bus.ItemChange.Action;
import io.seckill.common.bus.ItemChange.Values;
import io.seckill.common.id.Quantity;
import io.seckill.common.item.ItemRecord;
import io.seckill.gateway.http.Json;
import java.io.IOException;

/** Reads what a change of an item needs: the fields of its action, all of them and no others. */
final class ChangeBody {

  private final Action action;
  private Long units;
  private Long limitPerUser;
  private Long startsAtMs;
  private Long endsAtMs;
  private String requestId;

  private ChangeBody(Action action) {
    this.action = action;
  }

  /** Whether an action needs anything. */
  static boolean isNeededFor(Action action) {
    return switch (action) {
      case RESTOCK, WITHDRAW, SET_TOTAL, CAP, SET_LIMIT, SET_WINDOW -> true;
      case PREHEAT, PAUSE, RESUME, END -> false;
    };
  }

  /** No body, for an action that needs none. */
  static ChangeBody none(Action action) {
    return new ChangeBody(action);
  }

  /**
   * Reads a body.
   *
   * @throws io.seckill.common.error.SeckillException INVALID_REQUEST
   */
  static ChangeBody read(Action action, byte[] body) {
    ChangeBody change = new ChangeBody(action);
    Json.read(
        body,
        (field, value) -> {
          if (field.equals("requestId")) {
            change.requestId = AdminRequests.requestIdIn(value);
            return true;
          }
          return change.field(field, value);
        });
    return change;
  }

  /** What the action needs. */
  Values values() {
    return switch (action) {
      case RESTOCK, WITHDRAW -> units("units");
      case SET_TOTAL -> units("total");
      case CAP -> units("cap");
      case SET_LIMIT -> {
        AdminRequests.require(limitPerUser, "limitPerUser");
        yield Values.ofLimit(limitPerUser.intValue());
      }
      case SET_WINDOW -> {
        AdminRequests.require(startsAtMs, "startsAt");
        AdminRequests.require(endsAtMs, "endsAt");
        AdminRequests.checkWindow(startsAtMs, endsAtMs);
        yield Values.ofWindow(startsAtMs, endsAtMs);
      }
      case PREHEAT, PAUSE, RESUME, END -> Values.NONE;
    };
  }

  /** Null when the body has none. */
  String requestId() {
    return requestId;
  }

  private boolean field(String field, JsonParser value) throws IOException {
    return switch (action) {
      case RESTOCK, WITHDRAW -> isUnits("units", field, value, 1);
      case SET_TOTAL -> isUnits("total", field, value, 0);
      case CAP -> isCap(field, value);
      case SET_LIMIT -> isLimit(field, value);
      case SET_WINDOW -> isWindow(field, value);
      case PREHEAT, PAUSE, RESUME, END -> false;
    };
  }

  private boolean isUnits(String name, String field, JsonParser value, long min)
      throws IOException {
    if (!field.equals(name)) {
      return false;
    }
    units = Json.integer(value, name, min, AdminRequests.MAX_UNITS);
    return true;
  }

  private boolean isCap(String field, JsonParser value) throws IOException {
    if (!field.equals("cap")) {
      return false;
    }
    Long cap = Json.integerOrNull(value, field, 0, AdminRequests.MAX_UNITS);
    units = cap == null ? ItemRecord.NO_CAP : cap;
    return true;
  }

  private boolean isLimit(String field, JsonParser value) throws IOException {
    if (!field.equals("limitPerUser")) {
      return false;
    }
    limitPerUser = Json.integer(value, field, 1, Quantity.MAX);
    return true;
  }

  private boolean isWindow(String field, JsonParser value) throws IOException {
    switch (field) {
      case "startsAt" -> startsAtMs = AdminRequests.timeIn(value, field);
      case "endsAt" -> endsAtMs = AdminRequests.timeIn(value, field);
      default -> {
        return false;
      }
    }
    return true;
  }

  private Values units(String name) {
    AdminRequests.require(units, name);
    return Values.ofUnits(units);
  }
}

package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonParser;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.gateway.api.BusRequests;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Times;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import java.io.IOException;
import java.util.UUID;

/** What the admin endpoints share. */
final class AdminRequests {

  /** An operator's change is a transaction and a call to each shard; it may take its time. */
  private static final long CHANGE_MS = 20_000;

  /** Some rows by a key. */
  private static final long READ_MS = 5_000;

  /** Most units that an item can have. */
  static final long MAX_UNITS = 1_000_000_000L;

  private static final int MAX_REQUEST_ID_CHARS = 64;
  private static final int MAX_TIME_CHARS = 40;

  private AdminRequests() {}

  /** Asks over the bus for a change. A time-out is OUTCOME_UNKNOWN: repeat with the same id. */
  static <T> Future<T> change(EventBus bus, String address, Object message) {
    DeliveryOptions delivery = new DeliveryOptions().setSendTimeout(CHANGE_MS);
    return BusRequests.change(bus, address, message, delivery);
  }

  /** Asks over the bus for some rows. */
  static <T> Future<T> read(EventBus bus, String address, Object message) {
    return read(bus, address, message, READ_MS);
  }

  /** Asks over the bus for something that changes nothing. */
  static <T> Future<T> read(EventBus bus, String address, Object message, long timeoutMs) {
    DeliveryOptions delivery = new DeliveryOptions().setSendTimeout(timeoutMs);
    return BusRequests.read(bus, address, message, delivery);
  }

  /** Reads {@code requestId} from a body. */
  static String requestIdIn(JsonParser value) throws IOException {
    String id = Json.text(value, "requestId", MAX_REQUEST_ID_CHARS);
    if (!IdempotencyKey.isValid(id)) {
      throw Json.invalid("'requestId' must match [A-Za-z0-9_.:-]{1,64}.");
    }
    return id;
  }

  /** Reads a moment: epoch milliseconds. */
  static long timeIn(JsonParser value, String field) throws IOException {
    return Times.parse(Json.text(value, field, MAX_TIME_CHARS), field);
  }

  /** A window that is empty is INVALID_REQUEST. */
  static void checkWindow(long startsAtMs, long endsAtMs) {
    if (endsAtMs <= startsAtMs) {
      throw Json.invalid("'endsAt' must be after 'startsAt'.");
    }
  }

  /** A field that was not there, so null, is INVALID_REQUEST. */
  static void require(Object value, String field) {
    if (value == null) {
      throw Json.invalid("'" + field + "' is missing.");
    }
  }

  /**
   * The id of a change: from the body, else from {@code Idempotency-Key}, else a fresh one. Two
   * different ones are INVALID_REQUEST.
   *
   * @param inBody null when the body has none
   */
  static String requestId(Exchange exchange, String inBody) {
    IdempotencyKey key = exchange.idempotencyKey();
    if (key.isNone()) {
      return inBody == null ? UUID.randomUUID().toString() : inBody;
    }
    if (inBody != null && !inBody.equals(key.value())) {
      throw Json.invalid("'requestId' and Idempotency-Key differ.");
    }
    return key.value();
  }
}

package io.seckill.gateway.admission;

import io.seckill.common.error.ErrorCode;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The layers that a request passes, cheapest first. */
public enum Layer {
  /** Open connections of the process. */
  CONNECTION,
  /** Framing, declared size, arrival in time, method and path, media type. */
  HTTP,
  /** Rate of one client address. */
  ADDRESS_RATE,
  /** The bearer token and its role. */
  TOKEN,
  /** Purchases: the item is on the board. */
  ITEM,
  /** Purchases in flight in this process. */
  IN_FLIGHT,
  /** Purchases and joinings follow what is stored: the logs' backlog and their bound. */
  BACKLOG,
  /** Rate of purchases in all. */
  GLOBAL_RATE,
  /** Rate of purchases of one item. */
  ITEM_RATE,
  /** The local window of the user. */
  USER_WINDOW,
  /** Rate at which one user asks for his orders and his place in line. */
  POLL_RATE,
  /** Open event streams of the process. */
  EVENT_STREAMS,
  /** Behind the gateway: the engine, the ledger, or the endpoint itself. */
  HANDLER;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** The codes that this layer refuses with, so that its counters can be made once. */
  public Set<ErrorCode> codes() {
    return switch (this) {
      case CONNECTION, IN_FLIGHT, EVENT_STREAMS -> EnumSet.of(ErrorCode.BUSY);
      case BACKLOG -> EnumSet.of(ErrorCode.BUSY, ErrorCode.UNAVAILABLE);
      case HTTP ->
          EnumSet.of(
              ErrorCode.INVALID_REQUEST,
              ErrorCode.PAYLOAD_TOO_LARGE,
              ErrorCode.UNSUPPORTED_MEDIA_TYPE,
              ErrorCode.REQUEST_TIMEOUT,
              ErrorCode.NOT_FOUND,
              ErrorCode.METHOD_NOT_ALLOWED);
      case ADDRESS_RATE, GLOBAL_RATE, ITEM_RATE, USER_WINDOW, POLL_RATE ->
          EnumSet.of(ErrorCode.RATE_LIMITED);
      case TOKEN -> EnumSet.of(ErrorCode.UNAUTHENTICATED, ErrorCode.FORBIDDEN);
      case ITEM -> EnumSet.of(ErrorCode.NOT_FOUND, ErrorCode.UNAVAILABLE);
      case HANDLER -> EnumSet.allOf(ErrorCode.class);
    };
  }

  /** Its name in metrics. */
  public String tag() {
    return tag;
  }
}

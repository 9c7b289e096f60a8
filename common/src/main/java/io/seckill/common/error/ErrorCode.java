package io.seckill.common.error;

import java.util.Arrays;
import java.util.Optional;

/**
 * Every way in which the system says no, in one table. It drives failures on the bus, problem
 * details over HTTP, metrics and {@code docs/errors.md}. The list may grow; names never change.
 */
public enum ErrorCode {
  INVALID_REQUEST(400, false, "The request is not well formed or a value is out of range."),
  PAYLOAD_TOO_LARGE(413, false, "The request body is larger than the route allows."),
  UNSUPPORTED_MEDIA_TYPE(415, false, "The body must be application/json."),
  REQUEST_TIMEOUT(408, true, "The request did not arrive in time."),
  UNAUTHENTICATED(401, false, "A valid bearer token is needed."),
  FORBIDDEN(403, false, "The token does not allow this."),
  BLOCKED(403, false, "The address is blocked."),
  PASS_REQUIRED(403, false, "The item can be bought only with a pass from the waiting room."),
  CHALLENGE_REQUIRED(403, false, "A challenge has to be answered first."),
  NOT_RESERVED(403, false, "Only those who reserved can buy this item."),
  NOT_FOUND(404, false, "There is nothing here that the caller may see."),
  METHOD_NOT_ALLOWED(405, false, "The path exists, but not for this method."),
  NOT_READY(409, true, "The item has not been preheated yet."),
  NOT_STARTED(409, true, "The sale has not opened yet."),
  ENDED(409, false, "The sale has ended."),
  PAUSED(409, true, "The sale is paused."),
  SOLD_OUT(409, false, "No unit is left."),
  INSUFFICIENT_STOCK(409, false, "Units are left, but fewer than were asked for."),
  LIMIT_REACHED(409, false, "The user would hold more units than one user may."),
  NOT_SOLD_OUT(409, false, "Units are left: buy instead of waiting."),
  WAITLIST_FULL(409, true, "No more buyers can wait in line for the item."),
  CONFLICT(409, false, "The request contradicts an earlier one or the present state."),
  RATE_LIMITED(429, true, "Too many requests; try again later."),
  BUSY(503, true, "The system is at its limit right now; nothing was taken."),
  UNAVAILABLE(503, true, "A part of the system is away right now; nothing was taken."),
  OUTCOME_UNKNOWN(503, true, "The outcome is not known; repeat with the same key to learn it.");

  private final int httpStatus;
  private final boolean retryable;
  private final String title;

  ErrorCode(int httpStatus, boolean retryable, String title) {
    this.httpStatus = httpStatus;
    this.retryable = retryable;
    this.title = title;
  }

  /** The code of that name; empty for a name that this release does not know. */
  public static Optional<ErrorCode> byName(String name) {
    return Arrays.stream(values()).filter(code -> code.name().equals(name)).findFirst();
  }

  /** The HTTP status that the code is answered with. */
  public int httpStatus() {
    return httpStatus;
  }

  /** Whether the same request may succeed later without being changed. */
  public boolean retryable() {
    return retryable;
  }

  /** False only where the system may have acted although it says no. */
  public boolean outcomeKnown() {
    return this != OUTCOME_UNKNOWN;
  }

  /** One English sentence for people; carries no detail of the request. */
  public String title() {
    return title;
  }
}

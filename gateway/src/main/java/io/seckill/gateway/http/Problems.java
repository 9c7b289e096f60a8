package io.seckill.gateway.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.OrderId;
import io.seckill.gateway.admission.Refusal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The one place where a "no" becomes HTTP: problem details as RFC 9457 says, with our stable {@code
 * code}. {@code type} is {@code urn:seckill:error:<code>}; {@code instance} is left out, it would
 * only repeat the request. {@code Retry-After} stands on every 429 and 503, in whole seconds and at
 * least one.
 *
 * <p>Plain refusals are made once: on a sold-out night they are nearly all answers.
 */
public final class Problems {

  private static final Map<ErrorCode, Reply> PLAIN = new EnumMap<>(ErrorCode.class);

  static {
    for (ErrorCode code : ErrorCode.values()) {
      PLAIN.put(code, make(code, code.httpStatus(), code.title(), 0, null));
    }
  }

  private Problems() {}

  /** A refusal without detail. */
  public static Reply of(ErrorCode code) {
    return PLAIN.get(code);
  }

  /** A failure of the table, with its sentence. */
  public static Reply of(SeckillException failure) {
    ErrorCode code = failure.code();
    return failure.getMessage().equals(code.title())
        ? of(code)
        : make(code, code.httpStatus(), failure.getMessage(), 0, null);
  }

  /** What an admission layer says. */
  public static Reply of(Refusal refusal) {
    return retryLater(refusal.code(), refusal.retryAfterMs());
  }

  /**
   * A refusal that says when to come again.
   *
   * @param retryAfterMs milliseconds, 0 when nothing is said
   */
  public static Reply retryLater(ErrorCode code, long retryAfterMs) {
    return retryAfterMs <= 1_000
        ? of(code)
        : make(code, code.httpStatus(), code.title(), retryAfterMs, null);
  }

  /** A refusal that names the order which is held. */
  public static Reply held(ErrorCode code, OrderId orderId) {
    return make(code, code.httpStatus(), code.title(), 0, orderId);
  }

  /**
   * INVALID_REQUEST under a status of HTTP's own, for what is wrong before there is a request: 414,
   * 431, 505.
   */
  static Reply malformed(int status, String detail) {
    return make(ErrorCode.INVALID_REQUEST, status, detail, 0, null);
  }

  private static Reply make(
      ErrorCode code, int status, String detail, long retryAfterMs, OrderId held) {
    Buffer body = Json.object(json -> write(json, code, status, detail, held));
    Map<CharSequence, CharSequence> headers = new HashMap<>();
    headers.put(HttpHeaders.CACHE_CONTROL, Fields.NO_STORE);
    if (status == 429 || status == 503) {
      long seconds = Math.max((retryAfterMs + 999) / 1_000, 1);
      headers.put(Fields.RETRY_AFTER, HttpHeaders.createOptimized(Long.toString(seconds)));
    }
    if (status == 401) {
      headers.put(Fields.WWW_AUTHENTICATE, Fields.BEARER);
    }
    return new Reply(status, Fields.PROBLEM_JSON, body, headers);
  }

  private static void write(
      JsonGenerator json, ErrorCode code, int status, String detail, OrderId held)
      throws IOException {
    json.writeStringField("type", "urn:seckill:error:" + code.name());
    json.writeStringField("title", code.title());
    json.writeNumberField("status", status);
    json.writeStringField("code", code.name());
    json.writeStringField("detail", detail);
    if (!code.outcomeKnown()) {
      json.writeStringField("outcome", "unknown");
    }
    if (held != null) {
      json.writeStringField("orderId", held.value());
    }
  }
}

package io.seckill.gateway.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lets pages of configured origins call, and no others. An origin is compared as a whole; there is
 * no pattern and no reflection of what came. Credentials are never allowed: the token travels in a
 * header that the page sets itself.
 */
final class Cors {

  private static final CharSequence ALLOWED_HEADERS =
      HttpHeaders.createOptimized("authorization, content-type, idempotency-key, last-event-id");
  private static final CharSequence EXPOSED_HEADERS =
      HttpHeaders.createOptimized("location, retry-after, ratelimit, ratelimit-policy, etag");
  private static final CharSequence MAX_AGE_SECONDS = HttpHeaders.createOptimized("600");

  private final Set<String> origins;

  Cors(List<String> origins) {
    for (String origin : origins) {
      if (!origin.matches("https?://[A-Za-z0-9.:\\[\\]-]+")) {
        throw new IllegalArgumentException(
            "gateway.corsOrigins: '" + origin + "' is not an origin such as https://shop.example");
      }
    }
    this.origins = Set.copyOf(new HashSet<>(origins));
  }

  /** Adds what a page of an allowed origin needs to read the answer. */
  void decorate(MultiMap request, MultiMap response) {
    if (origins.isEmpty()) {
      return;
    }
    // Also without an origin: a cache must not give this answer to a page that sends one.
    response.add(HttpHeaders.VARY, HttpHeaders.ORIGIN);
    String origin = request.get(HttpHeaders.ORIGIN);
    if (origin != null && origins.contains(origin)) {
      response.set(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
      response.set(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    }
  }

  /** Answers OPTIONS: the methods, and to an allowed origin also what it may send. */
  Reply options(MultiMap request, String allow) {
    Reply reply = Reply.empty(204, Map.of(HttpHeaders.ALLOW, allow));
    String origin = request.get(HttpHeaders.ORIGIN);
    boolean preflight = request.contains(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD);
    return preflight && origin != null && origins.contains(origin)
        ? reply
            .with(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, allow)
            .with(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS)
            .with(HttpHeaders.ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS)
        : reply;
  }
}

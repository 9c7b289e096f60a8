package io.seckill.gateway.http;

import io.vertx.core.http.HttpHeaders;

/** Header names and values that are sent often, encoded once. */
public final class Fields {

  /** {@code application/json}. */
  public static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  /** {@code Cache-Control: no-store}: answers for one person. */
  public static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  /** {@code Retry-After}. */
  public static final CharSequence RETRY_AFTER = HttpHeaders.createOptimized("retry-after");

  /** {@code Idempotency-Key}. */
  public static final CharSequence IDEMPOTENCY_KEY = HttpHeaders.createOptimized("idempotency-key");

  static final CharSequence PROBLEM_JSON = HttpHeaders.createOptimized("application/problem+json");
  static final CharSequence CONTENT_TYPE_OPTIONS =
      HttpHeaders.createOptimized("x-content-type-options");
  static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
  static final CharSequence CLOSE = HttpHeaders.createOptimized("close");
  static final CharSequence RATE_LIMIT = HttpHeaders.createOptimized("ratelimit");
  static final CharSequence RATE_LIMIT_POLICY = HttpHeaders.createOptimized("ratelimit-policy");
  static final CharSequence FORWARDED_FOR = HttpHeaders.createOptimized("x-forwarded-for");
  static final CharSequence WWW_AUTHENTICATE = HttpHeaders.createOptimized("www-authenticate");
  static final CharSequence BEARER = HttpHeaders.createOptimized("Bearer");

  private Fields() {}
}

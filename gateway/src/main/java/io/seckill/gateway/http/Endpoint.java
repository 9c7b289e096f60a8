package io.seckill.gateway.http;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/**
 * One route: a method and a path, who may call it, and what it does. The layers in front have let
 * the request through and its body has been read when {@link #handle} is called, on the event loop
 * of the request.
 */
public interface Endpoint {

  /** Its method. A GET endpoint also answers HEAD. */
  HttpMethod method();

  /** Its path; {@code {name}} stands for one whole segment. */
  String path();

  /** Who may call it. */
  Access access();

  /** Whether it takes a body. */
  default BodyRule body() {
    return BodyRule.NONE;
  }

  /**
   * Answers a request. May also throw: a {@link io.seckill.common.error.SeckillException} thrown or
   * failed with becomes the problem of its code, anything else UNAVAILABLE and a line in the log.
   */
  Future<Reply> handle(Exchange exchange);
}

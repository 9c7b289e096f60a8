package io.seckill.gateway.api;

import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/** Leaves the line. */
public record LeaveWaitlistEndpoint(Waitlist waitlist) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.DELETE;
  }

  @Override
  public String path() {
    return Waitlist.PATH;
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return waitlist.leave(exchange);
  }
}

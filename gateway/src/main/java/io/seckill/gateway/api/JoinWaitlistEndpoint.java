package io.seckill.gateway.api;

import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/** Joins the line for an item that is sold out. */
public record JoinWaitlistEndpoint(Waitlist waitlist) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
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
  public BodyRule body() {
    return BodyRule.OPTIONAL;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return waitlist.join(exchange);
  }
}

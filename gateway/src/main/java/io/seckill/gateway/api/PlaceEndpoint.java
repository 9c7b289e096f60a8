package io.seckill.gateway.api;

import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/** Shows the caller his place in line; for whoever is not in it there is none. */
public record PlaceEndpoint(Waitlist waitlist) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
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
    return waitlist.look(exchange);
  }
}

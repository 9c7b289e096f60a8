package io.seckill.gateway.api;

import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/** Buys several items, all or nothing. */
public record PurchaseLinesEndpoint(Purchases purchases) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/purchases";
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public BodyRule body() {
    return BodyRule.REQUIRED;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return purchases.buy(exchange, PurchaseBodies.lines(exchange.body()));
  }
}

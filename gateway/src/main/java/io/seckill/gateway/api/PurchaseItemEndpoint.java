package io.seckill.gateway.api;

import io.seckill.common.order.PurchaseLine;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;

/** Buys units of one item. */
public record PurchaseItemEndpoint(Purchases purchases) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/items/{itemId}/purchases";
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
    PurchaseLine line =
        new PurchaseLine(
            Paths.item(exchange.parameter(0)), PurchaseBodies.quantity(exchange.body()));
    return purchases.buy(exchange, List.of(line));
  }
}

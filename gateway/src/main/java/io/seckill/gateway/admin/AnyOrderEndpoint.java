package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.gateway.api.OrderReplies;
import io.seckill.gateway.api.Paths;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/** Shows an operator any order. */
public record AnyOrderEndpoint(EventBus bus) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/admin/orders/{orderId}";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    OrderQuery query = new OrderQuery(null, Paths.order(exchange.parameter(0)));
    return AdminRequests.<OrderViews>read(bus, Addresses.ORDER, query).map(OrderReplies::one);
  }
}

package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.id.OrderId;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.util.Set;

/** Lists the caller's orders, newest first, page by page. */
public record OrdersEndpoint(EventBus bus, Polls polls) implements Endpoint {

  private static final Set<String> PARAMETERS = Set.of("limit", "after");

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/orders";
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    MultiMap query = exchange.query(PARAMETERS);
    OrdersQuery orders =
        new OrdersQuery(exchange.user(), Pages.limitIn(query), after(query.get("after")));
    return polls.ask(
        exchange.user(),
        () ->
            BusRequests.<OrderViews>read(bus, Addresses.ORDERS, orders, OrderEndpoint.DELIVERY)
                .map(OrdersEndpoint::reply));
  }

  private static OrderId after(String text) {
    if (text == null) {
      return null;
    }
    try {
      return OrderId.of(text);
    } catch (IllegalArgumentException e) {
      throw Json.invalid("'after' must be an order id.");
    }
  }

  private static Reply reply(OrderViews views) {
    return Pages.reply(
        "orders", views.orders(), views.more(), order -> order.orderId().value(), OrderJson::write);
  }
}

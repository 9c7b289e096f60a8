package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderView;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;

/** Lists the caller's orders, newest first, page by page. */
public record OrdersEndpoint(EventBus bus, Polls polls) implements Endpoint {

  private static final int DEFAULT_LIMIT = 20;
  private static final int MAX_LIMIT = 100;
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
        new OrdersQuery(exchange.user(), limit(query.get("limit")), after(query.get("after")));
    return polls.ask(
        exchange.user(),
        () ->
            BusRequests.<OrderViews>read(bus, Addresses.ORDERS, orders, OrderEndpoint.DELIVERY)
                .map(OrdersEndpoint::reply));
  }

  private static int limit(String text) {
    if (text == null) {
      return DEFAULT_LIMIT;
    }
    int limit = text.matches("[1-9][0-9]{0,2}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MAX_LIMIT) {
      throw Json.invalid("'limit' must be an integer from 1 to " + MAX_LIMIT + ".");
    }
    return limit;
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
    List<OrderView> orders = views.orders();
    return Reply.json(
        200,
        Json.object(
            json -> {
              json.writeArrayFieldStart("orders");
              for (OrderView order : orders) {
                json.writeStartObject();
                OrderJson.write(json, order);
                json.writeEndObject();
              }
              json.writeEndArray();
              if (views.more() && !orders.isEmpty()) {
                json.writeStringField("next", orders.get(orders.size() - 1).orderId().value());
              }
            }));
  }
}

package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/** Shows one order to its buyer; another user's is not there. */
public record OrderEndpoint(EventBus bus, Polls polls) implements Endpoint {

  /** Where orders live; an order's location is this and its id. */
  static final String PREFIX = "/api/v1/orders/";

  /** A read that takes longer is of no use to somebody who polls. */
  static final DeliveryOptions DELIVERY = new DeliveryOptions().setSendTimeout(5_000);

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return PREFIX + "{orderId}";
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    OrderQuery query = new OrderQuery(exchange.user(), Paths.order(exchange.parameter(0)));
    return polls.ask(
        exchange.user(),
        () ->
            BusRequests.<OrderViews>read(bus, Addresses.ORDER, query, DELIVERY)
                .map(OrderReplies::one));
  }
}

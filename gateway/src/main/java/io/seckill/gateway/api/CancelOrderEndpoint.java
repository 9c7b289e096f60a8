package io.seckill.gateway.api;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderViews;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/**
 * Lets a buyer give up an order that he has not paid. Answers with the order as it is afterwards,
 * however often it is asked for; an order that is not stored yet is BUSY, and nothing is lost by
 * asking again.
 */
public record CancelOrderEndpoint(EventBus bus) implements Endpoint {

  /** One transaction, which may have to wait for a lock of another one. */
  static final DeliveryOptions DELIVERY = new DeliveryOptions().setSendTimeout(10_000);

  @Override
  public HttpMethod method() {
    return HttpMethod.DELETE;
  }

  @Override
  public String path() {
    return OrderEndpoint.PREFIX + "{orderId}";
  }

  @Override
  public Access access() {
    return Access.USER;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    OrderCancel cancel = OrderCancel.byUser(exchange.user(), Paths.order(exchange.parameter(0)));
    return BusRequests.<OrderViews>change(bus, Addresses.CANCEL_ORDER, cancel, DELIVERY)
        .map(OrderReplies::one);
  }
}

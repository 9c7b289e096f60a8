package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.id.OrderId;
import io.seckill.gateway.api.OrderReplies;
import io.seckill.gateway.api.Paths;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.util.Locale;

/**
 * Ends an order for its buyer: {@code …/cancel} before it is paid, {@code …/refund} after. Needs no
 * request id: an order ends once, and whoever asks again is shown the same.
 *
 * @param bus the bus
 * @param action what this route does
 */
public record ChangeOrderEndpoint(EventBus bus, Action action) implements Endpoint {

  /** What an operator can do to an order. */
  public enum Action {
    /** Its units go back; it was not paid. */
    CANCEL,
    /** Its units go back, and its money. */
    REFUND
  }

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/orders/{orderId}/" + action.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    OrderId order = Paths.order(exchange.parameter(0));
    String actor = exchange.user().value();
    Future<OrderViews> changed =
        switch (action) {
          case CANCEL ->
              AdminRequests.change(bus, Addresses.CANCEL_ORDER, OrderCancel.byAdmin(order, actor));
          case REFUND ->
              AdminRequests.change(bus, Addresses.REFUND_ORDER, new OrderRefund(order, actor));
        };
    return changed.map(OrderReplies::one);
  }
}

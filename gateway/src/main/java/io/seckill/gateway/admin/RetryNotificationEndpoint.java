package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.NotificationRetry;
import io.seckill.common.order.NotificationState;
import io.seckill.gateway.api.Paths;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/** Has a dead notification tried again. Asking again answers the same until it has arrived. */
public record RetryNotificationEndpoint(EventBus bus) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/notifications/{notificationId}/retry";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    long id = Paths.number(exchange.parameter(0));
    return AdminRequests.<Done>change(bus, Addresses.RETRY_NOTIFICATION, new NotificationRetry(id))
        .map(
            done ->
                Reply.json(
                    200,
                    Json.object(
                        json -> {
                          json.writeStringField("id", Long.toString(id));
                          json.writeStringField("state", NotificationState.PENDING.name());
                        })));
  }
}

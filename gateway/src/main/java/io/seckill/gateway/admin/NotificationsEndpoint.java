package io.seckill.gateway.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Notifications;
import io.seckill.common.bus.NotificationsQuery;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.order.NotificationState;
import io.seckill.gateway.api.Pages;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.seckill.gateway.http.Times;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;

/** Lists what a receiver outside was told of orders, or not: the dead ones, unless asked else. */
public record NotificationsEndpoint(EventBus bus) implements Endpoint {

  private static final Set<String> PARAMETERS = Set.of("state", "after", "limit");

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/admin/notifications";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    MultiMap query = exchange.query(PARAMETERS);
    NotificationsQuery page =
        new NotificationsQuery(
            state(query.get("state")), after(query.get("after")), Pages.limitIn(query));
    return AdminRequests.<Notifications>read(bus, Addresses.NOTIFICATIONS, page)
        .map(NotificationsEndpoint::reply);
  }

  private static NotificationState state(String text) {
    if (text == null) {
      return NotificationState.DEAD;
    }
    return Arrays.stream(NotificationState.values())
        .filter(state -> state.name().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                Json.invalid(
                    "'state' must be one of " + Arrays.toString(NotificationState.values()) + "."));
  }

  private static long after(String text) {
    if (text == null) {
      return 0;
    }
    if (!text.matches("[1-9][0-9]{0,17}")) {
      throw Json.invalid("'after' must be the id of a notification.");
    }
    return Long.parseLong(text);
  }

  private static Reply reply(Notifications page) {
    return Pages.reply(
        "notifications",
        page.notifications(),
        page.more(),
        notification -> Long.toString(notification.id()),
        NotificationsEndpoint::write);
  }

  private static void write(JsonGenerator json, Notifications.Notification notification)
      throws IOException {
    OrderEvent event = notification.event();
    json.writeStringField("id", Long.toString(notification.id()));
    json.writeStringField("state", notification.state().name());
    json.writeNumberField("tries", notification.tries());
    if (!notification.failure().isEmpty()) {
      json.writeStringField("failure", notification.failure());
    }
    json.writeStringField("at", Times.rfc3339(event.atMs()));
    json.writeStringField("user", event.user().value());
    json.writeStringField("orderId", event.orderId().value());
    json.writeStringField("status", event.status().name());
    if (!event.reason().isEmpty()) {
      json.writeStringField("reason", event.reason());
    }
    json.writeBooleanField("promoted", event.promoted());
  }
}

package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemChanged;
import io.seckill.gateway.api.Paths;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/**
 * Changes an item: one route for each action, {@code …/preheat} to {@code …/end}. Repeating a
 * request under its id does nothing more and tells the same.
 *
 * @param bus the bus
 * @param action what this route does
 */
public record ChangeItemEndpoint(EventBus bus, ItemChange.Action action) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/items/{itemId}/" + word();
  }

  private String word() {
    return switch (action) {
      case PREHEAT -> "preheat";
      case RESTOCK -> "restock";
      case WITHDRAW -> "withdraw";
      case SET_TOTAL -> "total";
      case CAP -> "cap";
      case SET_LIMIT -> "limit";
      case SET_WINDOW -> "window";
      case PAUSE -> "pause";
      case RESUME -> "resume";
      case END -> "end";
    };
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public BodyRule body() {
    return ChangeBody.isNeededFor(action) ? BodyRule.REQUIRED : BodyRule.OPTIONAL;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return AdminRequests.<ItemChanged>change(bus, Addresses.CHANGE_ITEM, change(exchange))
        .map(ChangeItemEndpoint::reply);
  }

  private ItemChange change(Exchange exchange) {
    ChangeBody body =
        exchange.hasBody() || ChangeBody.isNeededFor(action)
            ? ChangeBody.read(action, exchange.body())
            : ChangeBody.none(action);
    ItemChange.Values values = body.values();
    return new ItemChange(
        AdminRequests.requestId(exchange, body.requestId()),
        exchange.user().value(),
        Paths.item(exchange.parameter(0)),
        action,
        values);
  }

  /** Without what the board shows: that may be older than the change. */
  private static Reply reply(ItemChanged changed) {
    return Reply.json(
        200,
        Json.object(
            json -> {
              RecordJson.write(json, changed.record(), null);
              json.writeNumberField("asked", changed.asked());
              json.writeNumberField("done", changed.done());
              json.writeBooleanField("settled", changed.settled());
            }));
  }
}

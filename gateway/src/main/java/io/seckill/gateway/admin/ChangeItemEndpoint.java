package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemView;
import io.seckill.gateway.api.Paths;
import io.seckill.gateway.board.ItemJson;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.util.Locale;

/**
 * Changes an item: one route for each action, {@code …/preheat} to {@code …/end}. Repeating a
 * request under its id does nothing more.
 *
 * @param bus the bus
 * @param action what this route does
 */
public record ChangeItemEndpoint(EventBus bus, ItemChange.Action action) implements Endpoint {

  private static final long MAX_UNITS = 1_000_000_000L;

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/items/{itemId}/" + action.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public BodyRule body() {
    return takesUnits() ? BodyRule.REQUIRED : BodyRule.OPTIONAL;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return AdminRequests.<ItemView>change(bus, Addresses.CHANGE_ITEM, change(exchange))
        .map(ChangeItemEndpoint::reply);
  }

  private ItemChange change(Exchange exchange) {
    String[] requestId = {null};
    long[] units = {0};
    if (exchange.hasBody() || takesUnits()) {
      Json.read(
          exchange.body(),
          (name, value) -> {
            if (name.equals("requestId")) {
              requestId[0] = AdminRequests.requestIdIn(value);
              return true;
            }
            if (takesUnits() && name.equals("units")) {
              units[0] = Json.integer(value, name, 1, MAX_UNITS);
              return true;
            }
            return false;
          });
    }
    if (takesUnits() && units[0] == 0) {
      throw Json.invalid("'units' is missing.");
    }
    return new ItemChange(
        AdminRequests.requestId(exchange, requestId[0]),
        exchange.user().value(),
        Paths.item(exchange.parameter(0)),
        action,
        units[0],
        0);
  }

  private boolean takesUnits() {
    return action == ItemChange.Action.RESTOCK;
  }

  private static Reply reply(ItemView view) {
    return Reply.json(
        200,
        Json.object(
            json -> {
              ItemJson.write(json, view);
              json.writeNumberField("generation", view.generation());
            }));
  }
}

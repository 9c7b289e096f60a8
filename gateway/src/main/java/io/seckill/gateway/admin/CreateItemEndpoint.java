package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.ItemRecords;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/** Creates an item with its stock. The same request again finds the item. */
public record CreateItemEndpoint(EventBus bus) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/items";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public BodyRule body() {
    return BodyRule.REQUIRED;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    ItemBody item = ItemBody.read(exchange.body());
    ItemCreate create =
        new ItemCreate(
            AdminRequests.requestId(exchange, item.requestId()),
            exchange.user().value(),
            item.definition(),
            item.stock());
    return AdminRequests.<ItemRecords>change(bus, Addresses.LEDGER_CREATE_ITEM, create)
        .map(CreateItemEndpoint::reply);
  }

  private static Reply reply(ItemRecords records) {
    return Reply.json(
        201, Json.object(json -> RecordJson.write(json, records.items().get(0), null)));
  }
}

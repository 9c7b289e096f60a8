package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.ItemQuery;
import io.seckill.common.bus.ItemRecords;
import io.seckill.common.item.ItemRecord;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/** Lists what the ledger has, so it works also while no engine runs. */
public record ListItemsEndpoint(EventBus bus, BoardStore board) implements Endpoint {

  private static final long TIMEOUT_MS = 10_000;

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
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
  public Future<Reply> handle(Exchange exchange) {
    return AdminRequests.<ItemRecords>read(
            bus, Addresses.LEDGER_ITEMS, new ItemQuery(null), TIMEOUT_MS)
        .map(this::reply);
  }

  private Reply reply(ItemRecords records) {
    return Reply.json(
        200,
        Json.object(
            json -> {
              json.writeArrayFieldStart("items");
              for (ItemRecord item : records.items()) {
                json.writeStartObject();
                RecordJson.write(json, item, board.find(item.definition().id()));
                json.writeEndObject();
              }
              json.writeEndArray();
            }));
  }
}

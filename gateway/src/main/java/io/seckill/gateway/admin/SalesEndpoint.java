package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.SalesQuery;
import io.seckill.common.bus.SalesRecord;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/**
 * Shows the stop switch as the ledger has it, so it works also while no engine runs.
 *
 * @param bus the bus
 * @param region whose switch
 */
public record SalesEndpoint(EventBus bus, int region) implements Endpoint {

  private static final long TIMEOUT_MS = 10_000;

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/admin/sales";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    return AdminRequests.<SalesRecord>read(
            bus, Addresses.LEDGER_SALES, new SalesQuery(region), TIMEOUT_MS)
        .map(SalesEndpoint::reply);
  }

  static Reply reply(SalesRecord sales) {
    return Reply.json(
        200,
        Json.object(
            json -> {
              json.writeBooleanField("stopped", sales.stopped());
              json.writeNumberField("generation", sales.generation());
            }));
  }
}

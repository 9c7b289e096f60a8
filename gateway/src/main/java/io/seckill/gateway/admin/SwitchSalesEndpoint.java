package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.bus.SalesRecord;
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
 * Stops all sales of the region at once, or lets them go on; items keep their own states. Repeating
 * a request under its id does nothing more.
 *
 * @param bus the bus
 * @param region whose sales
 * @param stop whether this route stops or resumes
 */
public record SwitchSalesEndpoint(EventBus bus, int region, boolean stop) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/sales/" + (stop ? "stop" : "resume");
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public BodyRule body() {
    return BodyRule.OPTIONAL;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    SalesChange change =
        new SalesChange(
            AdminRequests.requestId(exchange, requestIdIn(exchange)),
            exchange.user().value(),
            region,
            stop);
    return AdminRequests.<SalesRecord>change(bus, Addresses.CHANGE_SALES, change)
        .map(SalesEndpoint::reply);
  }

  private static String requestIdIn(Exchange exchange) {
    String[] requestId = {null};
    if (exchange.hasBody()) {
      Json.read(
          exchange.body(),
          (name, value) -> {
            if (!name.equals("requestId")) {
              return false;
            }
            requestId[0] = AdminRequests.requestIdIn(value);
            return true;
          });
    }
    return requestId[0];
  }
}

package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.DeadLetter;
import io.seckill.common.bus.DeadLetterQuery;
import io.seckill.gateway.api.Paths;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;

/** Shows one dead letter with what it says. */
public record DeadLetterEndpoint(EventBus bus) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/admin/dead-letters/{letterId}";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    DeadLetterQuery query = new DeadLetterQuery(Paths.letter(exchange.parameter(0)));
    return AdminRequests.<DeadLetter>read(bus, Addresses.DEAD_LETTER, query).map(LetterJson::reply);
  }
}

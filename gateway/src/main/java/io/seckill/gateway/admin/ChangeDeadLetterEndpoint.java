package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.DeadLetter;
import io.seckill.common.bus.DeadLetterChange;
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
 * Ends a dead letter: {@code …/retry} stores what it says after all, {@code …/settle} gives it up.
 * Whoever asks again is shown the letter as it is.
 *
 * @param bus the bus
 * @param action what this route does
 */
public record ChangeDeadLetterEndpoint(EventBus bus, DeadLetterChange.Action action)
    implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/admin/dead-letters/{letterId}/" + action.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    DeadLetterChange change =
        new DeadLetterChange(
            AdminRequests.requestId(exchange, null),
            exchange.user().value(),
            Paths.letter(exchange.parameter(0)),
            action);
    return AdminRequests.<DeadLetter>change(bus, Addresses.CHANGE_DEAD_LETTER, change)
        .map(LetterJson::reply);
  }
}

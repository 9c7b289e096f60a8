package io.seckill.gateway.admin;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.DeadLetters;
import io.seckill.common.bus.DeadLettersQuery;
import io.seckill.common.id.LetterId;
import io.seckill.common.order.LetterState;
import io.seckill.gateway.api.Pages;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.http.HttpMethod;
import java.util.Arrays;
import java.util.Set;

/** Lists what could not be stored: what is open, unless asked else. */
public record DeadLettersEndpoint(EventBus bus) implements Endpoint {

  private static final Set<String> PARAMETERS = Set.of("state", "after", "limit");
  private static final String ANY_STATE = "ALL";

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/admin/dead-letters";
  }

  @Override
  public Access access() {
    return Access.ADMIN;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    MultiMap query = exchange.query(PARAMETERS);
    DeadLettersQuery page =
        new DeadLettersQuery(
            state(query.get("state")), after(query.get("after")), Pages.limitIn(query));
    return AdminRequests.<DeadLetters>read(bus, Addresses.DEAD_LETTERS, page)
        .map(DeadLettersEndpoint::reply);
  }

  private static LetterState state(String text) {
    if (text == null) {
      return LetterState.OPEN;
    }
    if (text.equals(ANY_STATE)) {
      return null;
    }
    return Arrays.stream(LetterState.values())
        .filter(state -> state.name().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                Json.invalid(
                    "'state' must be "
                        + ANY_STATE
                        + " or one of "
                        + Arrays.toString(LetterState.values())
                        + "."));
  }

  private static LetterId after(String text) {
    try {
      return text == null ? null : LetterId.parse(text);
    } catch (IllegalArgumentException e) {
      throw Json.invalid("'after' must be the id of a dead letter.");
    }
  }

  private static Reply reply(DeadLetters page) {
    return Pages.reply(
        "deadLetters",
        page.letters(),
        page.more(),
        letter -> letter.id().toString(),
        LetterJson::write);
  }
}

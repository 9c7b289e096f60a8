package io.seckill.gateway.api;

import io.seckill.common.id.UserId;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.BodyRule;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;
import io.seckill.gateway.token.TokenSigner;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;

/**
 * Gives anybody a token, for development only; the route does not exist unless {@code
 * gateway.devSession} is on. Never gives a role.
 */
public record DevSessionEndpoint(TokenSigner signer) implements Endpoint {

  private static final Duration LIFETIME = Duration.ofHours(12);
  private static final int MAX_USER_CHARS = 64;

  @Override
  public HttpMethod method() {
    return HttpMethod.POST;
  }

  @Override
  public String path() {
    return "/api/v1/dev/session";
  }

  @Override
  public Access access() {
    return Access.ANYBODY;
  }

  @Override
  public BodyRule body() {
    return BodyRule.OPTIONAL;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    UserId user = wanted(exchange);
    TokenSigner.SignedToken token = signer.sign(user, Set.of(), LIFETIME);
    return Future.succeededFuture(
        Reply.json(
            200,
            Json.object(
                json -> {
                  json.writeStringField("token", token.text());
                  json.writeStringField("user", user.value());
                  json.writeStringField("expiresAt", token.expiresAt().toString());
                })));
  }

  private static UserId wanted(Exchange exchange) {
    String[] wanted = {null};
    if (exchange.hasBody()) {
      Json.read(
          exchange.body(),
          (name, value) -> {
            if (!name.equals("user")) {
              return false;
            }
            wanted[0] = Json.text(value, name, MAX_USER_CHARS);
            return true;
          });
    }
    String user = wanted[0] == null ? "dev-" + UUID.randomUUID() : wanted[0];
    if (!UserId.isValid(user)) {
      throw Json.invalid("'user' must match [A-Za-z0-9_.@-]{1,64}.");
    }
    return new UserId(user);
  }
}

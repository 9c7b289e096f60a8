package io.seckill.gateway.api;

import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/** Lists the items. */
public record ItemsEndpoint(BoardStore board) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/items";
  }

  @Override
  public Access access() {
    return Access.ANYBODY;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    BoardSnapshot snapshot = ItemReplies.boardOf(board);
    return Future.succeededFuture(ItemReplies.of(snapshot.json(board.serverTimeMs())));
  }
}

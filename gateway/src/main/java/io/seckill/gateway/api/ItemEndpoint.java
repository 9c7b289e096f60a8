package io.seckill.gateway.api;

import io.seckill.common.bus.ItemView;
import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.board.ItemJson;
import io.seckill.gateway.http.Access;
import io.seckill.gateway.http.Endpoint;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Reply;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;

/** Shows one item. */
public record ItemEndpoint(BoardStore board) implements Endpoint {

  @Override
  public HttpMethod method() {
    return HttpMethod.GET;
  }

  @Override
  public String path() {
    return "/api/v1/items/{itemId}";
  }

  @Override
  public Access access() {
    return Access.ANYBODY;
  }

  @Override
  public Future<Reply> handle(Exchange exchange) {
    BoardSnapshot snapshot = ItemReplies.boardOf(board);
    ItemView view = board.find(Paths.item(exchange.parameter(0)));
    if (view == null) {
      throw Paths.notFound();
    }
    return Future.succeededFuture(
        ItemReplies.of(ItemJson.one(view, snapshot.isStopped()).at(board.serverTimeMs())));
  }
}

package io.seckill.gateway.api;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.http.Exchange;
import io.seckill.gateway.http.Fields;
import io.seckill.gateway.http.Reply;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.function.Supplier;

/** What the two item pages share: one second in any cache, a weak ETag, 304. */
final class ItemReplies {

  private static final CharSequence ONE_SECOND = HttpHeaders.createOptimized("public, max-age=1");

  private ItemReplies() {}

  static BoardSnapshot boardOf(BoardStore board) {
    BoardSnapshot snapshot = board.snapshot();
    if (snapshot == null) {
      throw new SeckillException(ErrorCode.UNAVAILABLE, "The items are not known yet.");
    }
    return snapshot;
  }

  static Reply cacheable(Exchange exchange, CharSequence etag, Supplier<Buffer> body) {
    Map<CharSequence, CharSequence> headers =
        Map.of(HttpHeaders.CACHE_CONTROL, ONE_SECOND, HttpHeaders.ETAG, etag);
    return etag.toString().equals(exchange.header(HttpHeaders.IF_NONE_MATCH))
        ? Reply.empty(304, headers)
        : new Reply(200, Fields.JSON, body.get(), headers);
  }
}

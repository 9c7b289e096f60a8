package io.seckill.gateway.api;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.gateway.board.BoardSnapshot;
import io.seckill.gateway.board.BoardStore;
import io.seckill.gateway.http.Fields;
import io.seckill.gateway.http.Reply;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;

/**
 * What the two item pages share: one second in any cache. They have no ETag: each answer carries
 * the server's time, so none is the same as an earlier one, and a page that was told "unchanged"
 * would set its clock by an old time.
 */
final class ItemReplies {

  private static final Map<CharSequence, CharSequence> ONE_SECOND =
      Map.of(HttpHeaders.CACHE_CONTROL, HttpHeaders.createOptimized("public, max-age=1"));

  private ItemReplies() {}

  static BoardSnapshot boardOf(BoardStore board) {
    BoardSnapshot snapshot = board.snapshot();
    if (snapshot == null) {
      throw new SeckillException(ErrorCode.UNAVAILABLE, "The items are not known yet.");
    }
    return snapshot;
  }

  static Reply of(Buffer body) {
    return new Reply(200, Fields.JSON, body, ONE_SECOND);
  }
}

package io.seckill.gateway.api;

import io.seckill.common.bus.OrderViews;
import io.seckill.common.error.SeckillException;
import io.seckill.common.order.OrderStatus;
import io.seckill.common.order.OrderView;
import io.seckill.gateway.http.Fields;
import io.seckill.gateway.http.Json;
import io.seckill.gateway.http.Reply;

/** One order as an answer: the same to its buyer and to operators, read or just changed. */
public final class OrderReplies {

  private OrderReplies() {}

  /**
   * The first of the orders that a consumer named.
   *
   * @throws SeckillException NOT_FOUND when there is none
   */
  public static Reply one(OrderViews views) {
    if (views.orders().isEmpty()) {
      throw Paths.notFound();
    }
    OrderView order = views.orders().get(0);
    Reply reply = Reply.json(200, Json.object(json -> OrderJson.write(json, order)));
    // It will change within moments; whoever polls is told how fast.
    return order.status() == OrderStatus.ACCEPTED ? reply.with(Fields.RETRY_AFTER, "1") : reply;
  }
}

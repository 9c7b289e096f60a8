package io.seckill.gateway.events;

import io.seckill.common.bus.OrderEvent;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.OrderStatus;
import io.seckill.gateway.http.LiveBody;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * One open stream and what it was told. It tells states: what is the same as before, or older, is
 * left out. Belongs to the event loop of {@link EventHub}.
 */
final class EventStream {

  /** Orders that are remembered; of one that has fallen out the same may be told twice. */
  private static final int MAX_ORDERS = 64;

  private final Wish wish;
  private final LiveBody body;
  private final Map<OrderId, OrderStatus> orders = new LinkedHashMap<>(4);
  private final Map<ItemId, Long> places = new HashMap<>(2);
  private long sentNanos;

  /**
   * What a user wants to hear.
   *
   * @param user who
   * @param items of which items
   * @param sinceMs of which changes of his orders when he comes, epoch milliseconds
   * @param untilMs for how long his token is good
   */
  record Wish(UserId user, Set<ItemId> items, long sinceMs, long untilMs) {}

  EventStream(Wish wish, LiveBody body, long nowNanos) {
    this.wish = wish;
    this.body = body;
    this.sentNanos = nowNanos;
  }

  UserId user() {
    return wish.user();
  }

  Set<ItemId> items() {
    return wish.items();
  }

  long sinceMs() {
    return wish.sinceMs();
  }

  boolean isOver(long nowMs) {
    return nowMs >= wish.untilMs();
  }

  /** Nanoseconds since something was sent. */
  long silentNanos(long nowNanos) {
    return nowNanos - sentNanos;
  }

  void send(Buffer text, long nowNanos) {
    sentNanos = nowNanos;
    body.send(text);
  }

  void end(EventTexts.End why) {
    body.end(EventTexts.end(why));
  }

  /**
   * Whether a state of an order is news. Orders only go forward, in the order of the constants, so
   * news that comes late is known by its status.
   */
  boolean isNews(OrderEvent order) {
    OrderStatus known = orders.get(order.orderId());
    if (known != null && known.compareTo(order.status()) >= 0) {
      return false;
    }
    orders.put(order.orderId(), order.status());
    if (orders.size() > MAX_ORDERS) {
      orders.remove(orders.keySet().iterator().next());
    }
    return true;
  }

  /**
   * Whether a place in line is news. The first answer always is: the page may remember one from
   * another stream.
   *
   * @param place 0 for none
   */
  boolean isNews(ItemId item, long place) {
    Long known = places.put(item, place);
    return known == null || known != place;
  }
}

package io.seckill.consumer.orders;

import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/**
 * Says which orders changed: for whoever may have missed what was published. Belongs to one event
 * loop.
 */
final class ChangedOrders {

  private static final int MAX_USERS = 500;

  private final Database database;
  private final OrderIds orderIds;

  /**
   * Makes it.
   *
   * @param orderIds used by this event loop only
   */
  ChangedOrders(Database database, OrderIds orderIds) {
    this.database = database;
    this.orderIds = orderIds;
  }

  /** As {@link OrdersChangedQuery} says. */
  Future<OrderEvents> since(OrdersChangedQuery query) {
    if (query.users().isEmpty() || query.users().size() > MAX_USERS) {
      return Future.failedFuture(
          new SeckillException(
              ErrorCode.INVALID_REQUEST, "a question is about 1 to " + MAX_USERS + " users"));
    }
    JsonArray users = new JsonArray();
    query.users().stream().distinct().forEach(user -> users.add(user.value()));
    return database
        .query(Sql.FIND_CHANGED_ORDERS, Tuple.of(users.encode(), query.sinceMs(), OrderEvents.MAX))
        .map(
            rows -> {
              List<OrderEvent> events = new ArrayList<>(rows.size());
              rows.forEach(row -> events.add(eventOf(row)));
              return new OrderEvents(events);
            });
  }

  private OrderEvent eventOf(Row row) {
    WinId win = WinId.of(row.getInteger(0), row.getInteger(1), row.getLong(2), row.getLong(3));
    return new OrderEvent(
        new UserId(row.getString(4)),
        orderIds.seal(win),
        OrderStatus.valueOf(row.getString(5)),
        row.getString(6),
        row.getInteger(7) == 1,
        row.getLong(8));
  }
}

package io.seckill.consumer.notify;

import static io.seckill.consumer.Refusals.refuse;

import io.seckill.common.bus.Done;
import io.seckill.common.bus.NotificationRetry;
import io.seckill.common.bus.Notifications;
import io.seckill.common.bus.NotificationsQuery;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.UserId;
import io.seckill.common.order.NotificationState;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What operators see of notifications and do to them. Immutable. */
final class NotificationDesk {

  private static final Logger LOG = LoggerFactory.getLogger(NotificationDesk.class);

  private static final int MAX_PAGE = 100;

  private final Database database;
  private final SeckillConfig.Notification config;

  NotificationDesk(Database database, SeckillConfig.Notification config) {
    this.database = database;
    this.config = config;
  }

  /** As {@link NotificationsQuery} says. */
  Future<Notifications> page(NotificationsQuery query) {
    if (query.limit() < 1 || query.limit() > MAX_PAGE) {
      return refuse(ErrorCode.INVALID_REQUEST, "a page has 1 to " + MAX_PAGE + " notifications");
    }
    return database
        .query(
            Sql.FIND_NOTIFICATIONS,
            Tuple.of(query.state().name(), query.after(), query.limit() + 1))
        .map(
            rows -> {
              List<Notifications.Notification> found = new ArrayList<>(rows.size());
              rows.forEach(row -> found.add(notificationOf(row)));
              boolean more = found.size() > query.limit();
              return new Notifications(more ? found.subList(0, query.limit()) : found, more);
            });
  }

  private static Notifications.Notification notificationOf(Row row) {
    OrderEvent event =
        new OrderEvent(
            new UserId(row.getString(1)),
            new OrderId(row.getString(2)),
            OrderStatus.valueOf(row.getString(3)),
            row.getString(4),
            row.getInteger(5) == 1,
            row.getLong(6));
    return new Notifications.Notification(
        row.getLong(0),
        event,
        NotificationState.valueOf(row.getString(7)),
        row.getInteger(8),
        row.getString(9));
  }

  /** As {@link NotificationRetry} says. */
  Future<Done> retry(NotificationRetry retry) {
    if (!config.enabled()) {
      return refuse(ErrorCode.CONFLICT, "nobody is told: notification.webhookUrl is empty");
    }
    return database
        .query(Sql.RETRY_NOTIFICATION, Tuple.of(NotificationWorker.takenMs(config), retry.id()))
        .compose(
            retried -> {
              if (retried.rowCount() == 1) {
                LOG.info("dead notification {} is tried again", retry.id());
                return Future.succeededFuture(new Done());
              }
              return database
                  .query(Sql.FIND_NOTIFICATION_STATE, Tuple.of(retry.id()))
                  .compose(NotificationDesk::asItIs);
            });
  }

  private static Future<Done> asItIs(RowSet<Row> found) {
    if (found.size() == 0) {
      return refuse(ErrorCode.NOT_FOUND);
    }
    String state = found.iterator().next().getString(0);
    return state.equals(NotificationState.DONE.name())
        ? refuse(ErrorCode.CONFLICT, "the receiver has taken the notification")
        : Future.succeededFuture(new Done());
  }
}

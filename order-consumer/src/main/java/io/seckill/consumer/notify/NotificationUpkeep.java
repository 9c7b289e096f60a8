package io.seckill.consumer.notify;

import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

/**
 * Forgets notifications that were taken long ago, and counts the others, up to 100,001: that stands
 * for any more. Immutable.
 *
 * @param database with a connection that nobody waits for
 * @param metrics what the counts are for
 */
record NotificationUpkeep(Database database, NotificationMetrics metrics) {

  /** How often there is something to count. */
  static final long EVERY_MS = 5_000;

  /** A DELETE of so many rows takes some ten milliseconds. */
  private static final int MAX_DELETED = 1_000;

  /** One bounded DELETE; says whether there may be more to delete. */
  Future<Boolean> round() {
    return database
        .query(Sql.DELETE_NOTIFICATIONS, Tuple.of(MAX_DELETED))
        .compose(
            deleted ->
                deleted.rowCount() == MAX_DELETED
                    ? Future.succeededFuture(true)
                    : count().map(false));
  }

  private Future<Void> count() {
    return database
        .query(Sql.FIND_NOTIFICATION_BACKLOG, Tuple.tuple())
        .map(
            rows -> {
              Row row = rows.iterator().next();
              metrics.backlog(
                  new NotificationMetrics.Backlog(row.getLong(0), row.getLong(1), row.getLong(2)));
              return null;
            });
  }
}

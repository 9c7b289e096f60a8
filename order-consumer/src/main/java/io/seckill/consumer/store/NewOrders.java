package io.seckill.consumer.store;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.id.ShardRef;
import io.seckill.common.log.LogEntry;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * Writes orders and their lines. Most batches of a flash sale sell one thing to everybody, and
 * orders that are alike cost the database two thirds of what they cost one by one ({@code bench
 * orders}).
 */
final class NewOrders {

  private final SqlConnection connection;
  private final ShardRef shard;
  private final long epoch;

  /**
   * For one transaction.
   *
   * @param epoch of all orders
   */
  NewOrders(SqlConnection connection, ShardRef shard, long epoch) {
    this.connection = connection;
    this.shard = shard;
    this.epoch = epoch;
  }

  /** Fails as the client does, also when one of them is there; then none is written. */
  Future<Void> insert(List<OrderRow> orders) {
    if (orders.isEmpty()) {
      return Future.succeededFuture();
    }
    OrderRow first = orders.get(0);
    return orders.stream().allMatch(first::isLike) ? insertAlike(orders) : insertAny(orders);
  }

  private Future<Void> insertAlike(List<OrderRow> orders) {
    JsonRows rows = new JsonRows();
    orders.forEach(order -> order.addWhatDiffers(rows));
    String json = rows.json();
    OrderRow order = orders.get(0);
    LogEntry.WinLine line = order.win().lines().get(0);
    Tuple ofOrders =
        key()
            .addString(order.status().name())
            .addString(order.reason())
            .addInteger(order.held())
            .addInteger(order.quantity())
            .addLong(order.totalMinor())
            .addString(order.currency())
            .addInteger(order.promoted() ? 1 : 0)
            .addLong(order.payWithinMs())
            .addString(json);
    Tuple ofLines =
        key()
            .addLong(line.item().value())
            .addInteger(line.quantity())
            .addLong(line.priceMinor())
            .addInteger(line.limitPerUser())
            .addString(json);
    return write(Sql.INSERT_ALIKE_ORDERS, ofOrders, rows.rows())
        .compose(done -> write(Sql.INSERT_ALIKE_ORDER_LINES, ofLines, rows.rows()));
  }

  private Future<Void> insertAny(List<OrderRow> orders) {
    JsonRows rows = new JsonRows();
    JsonRows lines = new JsonRows();
    for (OrderRow order : orders) {
      order.addTo(rows);
      order.addLinesTo(lines);
    }
    return write(Sql.INSERT_ORDERS, key().addString(rows.json()), rows.rows())
        .compose(
            done -> write(Sql.INSERT_ORDER_LINES, key().addString(lines.json()), lines.rows()));
  }

  private Future<Void> write(Sql statement, Tuple arguments, int rows) {
    return run(connection, statement, arguments)
        .compose(
            inserted ->
                inserted.rowCount() == rows
                    ? Future.succeededFuture()
                    : Future.failedFuture(
                        new IllegalStateException(
                            statement + " wrote " + inserted.rowCount() + " rows")));
  }

  private Tuple key() {
    return Tuple.of(shard.region(), shard.shard(), epoch);
  }
}

package io.seckill.consumer.orders;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.OrderCancel;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Every change of a stored order's state:
 *
 * <pre>
 * PENDING_PAYMENT → PAID            pay
 * PENDING_PAYMENT → CANCELLED       cancel, timeOut; its units are to go back
 * PAID            → REFUND_PENDING  refund; its units and its money are to go back
 * REFUND_PENDING  → REFUNDED        refunded
 * </pre>
 *
 * <p>Each is one UPDATE that names the state before, within a transaction of the caller's that
 * holds what belongs to it; so of two who want different things exactly one comes first, and the
 * other learns it. Locks are taken in this order: orders, items, payments, refunds, outbox.
 */
public final class OrderLifeCycle {

  /** What an order says whose money an operator gave back. */
  static final String BY_REFUND = "refund";

  private OrderLifeCycle() {}

  /**
   * Where an order stands, from now to the end of the transaction; empty while it is not stored.
   */
  public static Future<Optional<OrderState>> state(SqlConnection connection, WinId win) {
    return run(connection, Sql.FIND_ORDER_FOR_UPDATE, Tuples.of(win))
        .map(
            rows ->
                rows.size() == 0 ? Optional.empty() : Optional.of(stateOf(rows.iterator().next())));
  }

  private static OrderState stateOf(Row row) {
    return new OrderState(
        row.getString(0),
        OrderStatus.valueOf(row.getString(1)),
        row.getString(2),
        row.getLong(3),
        row.getString(4),
        row.getLong(5),
        row.getInteger(6) == 1);
  }

  /**
   * The money is there.
   *
   * @return false when the order does not wait for money: {@link #state} says why
   */
  public static Future<Boolean> pay(SqlConnection connection, WinId win) {
    return run(connection, Sql.PAY_ORDER, Tuples.of(win)).map(updated -> updated.rowCount() == 1);
  }

  /**
   * A refund of the order's is DONE.
   *
   * @return false when further refunds of it are not, or the order was never to be refunded: money
   *     that came too late leaves it CANCELLED
   */
  public static Future<Boolean> refunded(SqlConnection connection, WinId win) {
    return run(connection, Sql.FINISH_ORDER_REFUND, Tuples.of(win))
        .map(updated -> updated.rowCount() == 1);
  }

  /**
   * Ends orders that wait for money, and has their units given back.
   *
   * @return how many of them it was that ended
   */
  static Future<Integer> cancel(SqlConnection connection, List<WinId> wins, String reason) {
    return run(connection, Sql.CANCEL_ORDERS, Tuple.of(keys(wins), reason))
        .compose(updated -> all(updated.rowCount(), wins.size(), "locked orders were cancelled"))
        .compose(cancelled -> release(connection, wins, reason))
        .map(wins.size());
  }

  /** The orders' rows are locked by whoever calls, so that less is a defect and no race. */
  private static Future<Void> all(long done, int wanted, String what) {
    return done == wanted
        ? Future.succeededFuture()
        : Future.failedFuture(new IllegalStateException(done + " of " + wanted + " " + what));
  }

  /**
   * Ends unpaid orders whose time is over.
   *
   * @param limit how many at most
   * @return which; as many as the limit when there may be more
   */
  static Future<List<TimedOut>> timeOut(SqlConnection connection, int limit) {
    return run(connection, Sql.FIND_DUE_ORDERS, Tuple.of(limit))
        .compose(
            rows -> {
              List<TimedOut> due = new ArrayList<>(rows.size());
              for (Row row : rows) {
                due.add(
                    new TimedOut(
                        WinId.of(
                            row.getInteger(0), row.getInteger(1), row.getLong(2), row.getLong(3)),
                        new UserId(row.getString(4)),
                        row.getInteger(5) == 1));
              }
              return due.isEmpty()
                  ? Future.succeededFuture(due)
                  : cancel(connection, TimedOut.wins(due), OrderCancel.BY_TIMEOUT).map(due);
            });
  }

  /**
   * Has the money and the units of a paid order given back. The items are locked first: an item
   * that is being archived must either see the release or be seen as archived by it. The caller
   * holds the row of the order, and has seen that it is PAID.
   *
   * @return false when no payment of it is known
   */
  static Future<Boolean> refund(SqlConnection connection, WinId win) {
    return run(connection, Sql.LOCK_ORDER_ITEMS, Tuples.of(win))
        .compose(
            locked ->
                run(
                    connection,
                    Sql.REFUND_ORDER,
                    Tuple.of(
                        BY_REFUND,
                        win.shard().region(),
                        win.shard().shard(),
                        win.entry().epoch(),
                        win.entry().seq())))
        .compose(updated -> all(updated.rowCount(), 1, "locked orders are to be refunded"))
        .compose(updated -> run(connection, Sql.INSERT_ORDER_REFUNDS, Tuples.of(win)))
        .compose(
            refunds ->
                refunds.rowCount() == 0
                    ? Future.succeededFuture(false)
                    : release(connection, List.of(win), BY_REFUND).map(true));
  }

  /** One release a win, but for those of which nothing can go back. */
  private static Future<Void> release(SqlConnection connection, List<WinId> wins, String reason) {
    String keys = keys(wins);
    return run(connection, Sql.INSERT_RELEASES, Tuple.of(reason, keys))
        .compose(
            inserted ->
                inserted.rowCount() == wins.size()
                    ? Future.succeededFuture()
                    : run(connection, Sql.COUNT_UNRELEASABLE, Tuple.of(keys))
                        .compose(
                            rows ->
                                all(
                                    inserted.rowCount() + rows.iterator().next().getLong(0),
                                    wins.size(),
                                    "ended orders are released or cannot be")));
  }

  private static String keys(List<WinId> wins) {
    JsonArray keys = new JsonArray();
    for (WinId win : wins) {
      keys.add(
          new JsonArray()
              .add(win.shard().region())
              .add(win.shard().shard())
              .add(win.entry().epoch())
              .add(win.entry().seq()));
    }
    return keys.encode();
  }
}

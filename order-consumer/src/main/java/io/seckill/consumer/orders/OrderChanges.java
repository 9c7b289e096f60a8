package io.seckill.consumer.orders;

import static io.seckill.consumer.Refusals.refuse;

import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.error.SeckillException;
import io.seckill.common.id.OrderId;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.ledger.OperatorRequest;
import io.seckill.consumer.notify.OrderNews;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels and refunds one order at somebody's word. Safe to ask again: whoever comes second finds
 * the order as the first left it. Belongs to one event loop.
 */
final class OrderChanges {

  private static final Logger LOG = LoggerFactory.getLogger(OrderChanges.class);

  private final Database database;
  private final OrderLookup lookup;
  private final OrderIds orderIds;
  private final OrderNews news;
  private final Releasing releasing;
  private final LogRate logRate = new LogRate();

  /**
   * Makes it.
   *
   * @param orderIds used by this event loop only
   */
  OrderChanges(
      Database database,
      OrderLookup lookup,
      OrderIds orderIds,
      OrderNews news,
      Releasing releasing) {
    this.database = database;
    this.lookup = lookup;
    this.orderIds = orderIds;
    this.news = news;
    this.releasing = releasing;
  }

  /** What a transaction found or did. */
  private enum Change {
    /** It changed the order. */
    DONE,
    /** The order was so before. */
    BEFORE,
    /** There is no such order yet. */
    NOT_STORED
  }

  /** As {@link OrderCancel} says. */
  Future<OrderViews> cancel(OrderCancel cancel) {
    boolean byUser = cancel.user() != null && cancel.reason().equals(OrderCancel.BY_USER);
    boolean byAdmin =
        cancel.user() == null
            && cancel.actor() != null
            && cancel.reason().equals(OrderCancel.BY_ADMIN);
    if (!byUser && !byAdmin) {
      return refuse(ErrorCode.INVALID_REQUEST, "the reason is not that of who asks");
    }
    return change(
        cancel.user(),
        cancel.orderId(),
        new End(OrderStatus.CANCELLED, cancel.reason()),
        (connection, win, state) ->
            switch (state.status()) {
              case PENDING_PAYMENT ->
                  OrderLifeCycle.cancel(connection, List.of(win), cancel.reason())
                      .compose(
                          done ->
                              byAdmin
                                  ? noted(
                                      connection, cancel.actor(), "CANCEL_ORDER", cancel.orderId())
                                  : Future.succeededFuture(Change.DONE));
              case CANCELLED -> Future.succeededFuture(Change.BEFORE);
              case ACCEPTED, PAID, FAILED, REFUND_PENDING, REFUNDED ->
                  contradiction(state.status());
            });
  }

  /** As {@link OrderRefund} says. */
  Future<OrderViews> refund(OrderRefund refund) {
    return change(
        null,
        refund.orderId(),
        new End(OrderStatus.REFUND_PENDING, OrderLifeCycle.BY_REFUND),
        (connection, win, state) ->
            switch (state.status()) {
              case PAID ->
                  OrderLifeCycle.refund(connection, win)
                      .compose(
                          known ->
                              known
                                  ? noted(
                                      connection, refund.actor(), "REFUND_ORDER", refund.orderId())
                                  : refuse(
                                      ErrorCode.CONFLICT,
                                      "no payment of the order is known that could go back"));
              case REFUND_PENDING, REFUNDED -> Future.succeededFuture(Change.BEFORE);
              case ACCEPTED, PENDING_PAYMENT, CANCELLED, FAILED -> contradiction(state.status());
            });
  }

  /**
   * Keeps what an operator did. An order ends once, so its id makes the row unique; no operator can
   * take it for a request of his: those have no blanks.
   */
  private static Future<Change> noted(
      SqlConnection connection, String actor, String action, OrderId id) {
    return new OperatorRequest(action + ' ' + id, actor, action, 0, id.value())
        .once(connection, () -> Future.succeededFuture(OperatorRequest.Units.NONE))
        .map(Change.DONE);
  }

  /** A step of the life cycle, under the lock of the order's row. */
  private interface Step {
    Future<Change> take(SqlConnection connection, WinId win, OrderState state);
  }

  /** What the order is to become, and why. */
  private record End(OrderStatus status, String reason) {}

  private Future<OrderViews> change(UserId user, OrderId id, End end, Step step) {
    Optional<WinId> win = orderIds.open(id);
    if (win.isEmpty()) {
      return refuse(ErrorCode.NOT_FOUND);
    }
    OrderQuery query = new OrderQuery(user, id);
    return news.inTransaction(
            database,
            connection ->
                OrderLifeCycle.state(connection, win.get())
                    .compose(
                        found ->
                            found
                                .map(
                                    state ->
                                        take(step, connection, win.get(), user, state)
                                            .map(change -> told(change, win.get(), state, end)))
                                .orElse(
                                    Future.succeededFuture(
                                        OrderNews.Told.nothing(Change.NOT_STORED)))))
        .recover(this::unknown)
        .compose(
            change ->
                switch (change) {
                  case DONE -> {
                    releasing.started(List.of(win.get()), end.reason());
                    yield lookup.one(query).recover(this::unknown);
                  }
                  case BEFORE -> lookup.one(query);
                  case NOT_STORED -> lookup.one(query).compose(OrderChanges::notStored);
                });
  }

  private OrderNews.Told<Change> told(Change change, WinId win, OrderState state, End end) {
    return change == Change.DONE
        ? new OrderNews.Told<>(
            change,
            List.of(
                news.event(
                    win, new UserId(state.user()), end.status(), end.reason(), state.promoted())))
        : OrderNews.Told.nothing(change);
  }

  private static Future<Change> take(
      Step step, SqlConnection connection, WinId win, UserId user, OrderState state) {
    boolean own = user == null || user.value().equals(state.user());
    return own ? step.take(connection, win, state) : refuse(ErrorCode.NOT_FOUND);
  }

  /** It is only late; or it will never be stored, and then there is nothing to give back. */
  private static Future<OrderViews> notStored(OrderViews found) {
    OrderStatus status = found.orders().get(0).status();
    return status == OrderStatus.FAILED
        ? contradiction(status)
        : refuse(ErrorCode.BUSY, "the order is being stored; ask again in a moment");
  }

  private static <T> Future<T> contradiction(OrderStatus status) {
    return refuse(ErrorCode.CONFLICT, "the order is " + status);
  }

  /** The transaction may have ended well although nobody heard of it. */
  private <T> Future<T> unknown(Throwable failure) {
    if (failure instanceof SeckillException known && known.code() != ErrorCode.UNAVAILABLE) {
      return Future.failedFuture(known);
    }
    if (logRate.allows()) {
      LOG.warn("it is not known whether an order was changed", failure);
    }
    return refuse(ErrorCode.OUTCOME_UNKNOWN);
  }
}

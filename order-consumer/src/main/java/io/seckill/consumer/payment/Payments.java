package io.seckill.consumer.payment;

import static io.seckill.consumer.Refusals.refuse;
import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.BusFailures;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.bus.PaymentStart;
import io.seckill.common.bus.PaymentStarted;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.db.Tuples;
import io.seckill.consumer.notify.OrderNews;
import io.seckill.consumer.orders.OrderLifeCycle;
import io.seckill.consumer.orders.OrderState;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens payments and takes what the provider says of them. A payment is written before the provider
 * hears of it, so whatever the provider reports is known here. Money that came is never passed
 * over: it pays the order or, in the same transaction, becomes a refund. Belongs to one event loop.
 */
final class Payments {

  private static final Logger LOG = LoggerFactory.getLogger(Payments.class);

  /** As the columns are; a signed notice that says more must not fail for ever. */
  private static final int MAX_REF_CHARS = 128;

  private static final int MAX_TOLD_CURRENCY_CHARS = 16;

  private final Database database;
  private final EventBus bus;
  private final OrderIds orderIds;
  private final OrderNews news;
  private final Terms terms;
  private final PaymentMetrics metrics;
  private final LogRate logRate = new LogRate();

  /**
   * By what payments are made.
   *
   * @param provider who takes the money, empty for nobody
   * @param reconcileAfterMs after this the provider is asked, if it has said nothing
   * @param orderAnswerMs bound on asking for an order that is not stored
   */
  record Terms(Optional<PaymentProvider> provider, long reconcileAfterMs, long orderAnswerMs) {}

  /**
   * Makes the desk.
   *
   * @param bus where orders that are not stored yet are asked for
   * @param orderIds used by this event loop only
   */
  Payments(
      Database database,
      EventBus bus,
      OrderIds orderIds,
      OrderNews news,
      Terms terms,
      PaymentMetrics metrics) {
    this.database = database;
    this.bus = bus;
    this.orderIds = orderIds;
    this.news = news;
    this.terms = terms;
    this.metrics = metrics;
  }

  /** What MySQL says to somebody who wants to pay. */
  private sealed interface Opening {
    record Open(Payment payment, long payByMs, boolean created) implements Opening {}

    record NotStored() implements Opening {}

    record Foreign() implements Opening {}

    record NotPayable(OrderStatus status) implements Opening {}
  }

  /** Opens a payment for an order, or finds the one that is open. */
  Future<PaymentStarted> start(PaymentStart request) {
    if (terms.provider().isEmpty()) {
      return refuse(ErrorCode.CONFLICT, "nothing can be paid here: there is no payment provider");
    }
    Optional<WinId> win = orderIds.open(request.orderId());
    if (win.isEmpty()) {
      return refuse(ErrorCode.NOT_FOUND);
    }
    return database
        .inTransactionRepeating(connection -> open(connection, win.get(), request))
        .compose(opening -> answer(opening, request));
  }

  private Future<Opening> open(SqlConnection connection, WinId win, PaymentStart request) {
    return OrderLifeCycle.state(connection, win)
        .compose(
            order -> {
              if (order.isEmpty()) {
                return Future.succeededFuture(new Opening.NotStored());
              }
              if (!order.get().user().equals(request.user().value())) {
                return Future.succeededFuture(new Opening.Foreign());
              }
              if (order.get().status() != OrderStatus.PENDING_PAYMENT) {
                return Future.succeededFuture(new Opening.NotPayable(order.get().status()));
              }
              return findOrInsert(connection, win, request, order.get());
            });
  }

  /** The order's row is locked, so there is one who does this. */
  private Future<Opening> findOrInsert(
      SqlConnection connection, WinId win, PaymentStart request, OrderState order) {
    return run(connection, Sql.FIND_OPEN_PAYMENT, Tuples.of(win))
        .compose(
            rows -> {
              if (rows.size() > 0) {
                String id = rows.iterator().next().getString(0);
                return Future.succeededFuture(open(id, request, order, false));
              }
              String id = UUID.randomUUID().toString();
              Tuple values =
                  Tuple.of(id)
                      .addInteger(win.shard().region())
                      .addInteger(win.shard().shard())
                      .addLong(win.entry().epoch())
                      .addLong(win.entry().seq())
                      .addLong(order.totalMinor())
                      .addString(order.currency())
                      .addLong(terms.reconcileAfterMs());
              return run(connection, Sql.INSERT_PAYMENT, values)
                  .map(inserted -> open(id, request, order, true));
            });
  }

  private static Opening open(String id, PaymentStart request, OrderState order, boolean created) {
    return new Opening.Open(
        new Payment(id, request.orderId(), order.totalMinor(), order.currency()),
        order.payByMs(),
        created);
  }

  private Future<PaymentStarted> answer(Opening opening, PaymentStart request) {
    if (opening instanceof Opening.Open open) {
      return atProvider(open);
    }
    if (opening instanceof Opening.NotPayable order) {
      return notPayable(order.status());
    }
    if (opening instanceof Opening.NotStored) {
      return notStored(request);
    }
    return refuse(ErrorCode.NOT_FOUND);
  }

  private Future<PaymentStarted> atProvider(Opening.Open open) {
    if (open.created()) {
      metrics.started();
    }
    Payment payment = open.payment();
    return terms
        .provider()
        .orElseThrow()
        .start(payment)
        .recover(
            failure -> {
              if (logRate.allows()) {
                LOG.warn("the payment provider does not open a payment: {}", failure.getMessage());
              }
              return refuse(ErrorCode.UNAVAILABLE, "the payment provider is away right now");
            })
        .map(
            url ->
                new PaymentStarted(
                    payment.id(),
                    url,
                    payment.amountMinor(),
                    payment.currency(),
                    open.payByMs(),
                    open.created()));
  }

  /** Not in MySQL: only late, lost, or nobody's. Who looks orders up knows. */
  private Future<PaymentStarted> notStored(PaymentStart request) {
    return bus.<OrderViews>request(
            Addresses.ORDER,
            new OrderQuery(request.user(), request.orderId()),
            new DeliveryOptions().setSendTimeout(terms.orderAnswerMs()))
        .recover(
            failure -> Future.failedFuture(BusFailures.translate(failure, ErrorCode.UNAVAILABLE)))
        .compose(
            reply -> {
              OrderStatus status = reply.body().orders().get(0).status();
              return status == OrderStatus.ACCEPTED || status == OrderStatus.PENDING_PAYMENT
                  ? refuse(ErrorCode.BUSY, "the order is being stored; try again in a moment")
                  : notPayable(status);
            });
  }

  private static <T> Future<T> notPayable(OrderStatus status) {
    return refuse(ErrorCode.CONFLICT, "the order does not wait for money: it is " + status);
  }

  /** Takes what the provider says of a payment; the same again has no second effect. */
  Future<Done> notice(PaymentNotice notice) {
    return orderIds
        .open(notice.orderId())
        .map(
            win ->
                news.inTransaction(
                    database,
                    connection ->
                        settle(connection, win, notice).map(settled -> told(settled, win))))
        .orElseGet(() -> Future.succeededFuture(NoticeOutcome.UNKNOWN))
        .compose(outcome -> answer(outcome, notice));
  }

  /**
   * What a notice did.
   *
   * @param order the order before it; empty when it is not stored or not known
   */
  private record Settled(NoticeOutcome outcome, Optional<OrderState> order) {}

  private OrderNews.Told<NoticeOutcome> told(Settled settled, WinId win) {
    return settled.outcome() == NoticeOutcome.PAID
        ? new OrderNews.Told<>(settled.outcome(), List.of(paid(win, settled.order().orElseThrow())))
        : OrderNews.Told.nothing(settled.outcome());
  }

  private OrderEvent paid(WinId win, OrderState order) {
    return news.event(
        win, new UserId(order.user()), OrderStatus.PAID, order.reason(), order.promoted());
  }

  private Future<Done> answer(NoticeOutcome outcome, PaymentNotice notice) {
    metrics.noticed(outcome);
    return switch (outcome) {
      case PAID, LATE, FAILED, REPEATED -> Future.succeededFuture(new Done());
      case MISMATCH -> {
        LOG.warn(
            "the provider tells another amount of payment {} of order {}: {} {}",
            notice.paymentId(),
            notice.orderId(),
            notice.amountMinor(),
            shortened(notice.currency(), MAX_TOLD_CURRENCY_CHARS));
        yield refuse(ErrorCode.CONFLICT, "amount or currency are not those of the payment");
      }
      case UNKNOWN -> refuse(ErrorCode.NOT_FOUND, "there is no such payment of that order");
    };
  }

  private Future<Settled> settle(SqlConnection connection, WinId win, PaymentNotice notice) {
    return run(connection, Sql.FIND_PAYMENT, Tuple.of(notice.paymentId()))
        .compose(
            rows -> {
              boolean known = rows.size() > 0 && winOf(rows.iterator().next()).equals(win);
              return known
                  // The order's row before the payment's, as everywhere.
                  ? OrderLifeCycle.state(connection, win)
                      .compose(
                          order ->
                              run(
                                      connection,
                                      Sql.FIND_PAYMENT_FOR_UPDATE,
                                      Tuple.of(notice.paymentId()))
                                  .compose(
                                      locked ->
                                          settle(connection, win, notice, locked.iterator().next()))
                                  .map(outcome -> new Settled(outcome, order)))
                  : Future.succeededFuture(new Settled(NoticeOutcome.UNKNOWN, Optional.empty()));
            });
  }

  private static Future<NoticeOutcome> settle(
      SqlConnection connection, WinId win, PaymentNotice notice, Row payment) {
    PaymentState state = PaymentState.valueOf(payment.getString(6));
    // Of money that did not come the amount says nothing.
    boolean mismatch =
        notice.status() == PaymentNotice.Status.PAID
            && !(payment.getLong(4) == notice.amountMinor()
                && payment.getString(5).equals(notice.currency()));
    if (mismatch) {
      boolean open = state == PaymentState.OPEN || state == PaymentState.FAILED;
      return open
          ? become(connection, notice, state, PaymentState.MISMATCH).map(NoticeOutcome.MISMATCH)
          : Future.succeededFuture(NoticeOutcome.MISMATCH);
    }
    return switch (notice.status()) {
      case FAILED ->
          state == PaymentState.OPEN
              ? become(connection, notice, state, PaymentState.FAILED).map(NoticeOutcome.FAILED)
              : Future.succeededFuture(NoticeOutcome.REPEATED);
      // Whatever was said before: the money is there now.
      case PAID ->
          state == PaymentState.PAID
              ? Future.succeededFuture(NoticeOutcome.REPEATED)
              : become(connection, notice, state, PaymentState.PAID)
                  .compose(paid -> OrderLifeCycle.pay(connection, win))
                  .compose(
                      ofOrder ->
                          ofOrder
                              ? Future.succeededFuture(NoticeOutcome.PAID)
                              : giveBack(connection, notice.paymentId()));
    };
  }

  private static Future<Void> become(
      SqlConnection connection, PaymentNotice notice, PaymentState from, PaymentState to) {
    Tuple values =
        Tuple.of(
            to.name(),
            shortened(notice.providerRef(), MAX_REF_CHARS),
            notice.amountMinor(),
            shortened(notice.currency(), MAX_TOLD_CURRENCY_CHARS),
            notice.paymentId(),
            from.name());
    return run(connection, Sql.SETTLE_PAYMENT, values).compose(rows -> one(rows.rowCount()));
  }

  private static Future<NoticeOutcome> giveBack(SqlConnection connection, String paymentId) {
    return run(connection, Sql.INSERT_REFUND, Tuple.of(paymentId))
        .compose(rows -> one(rows.rowCount()))
        .map(NoticeOutcome.LATE);
  }

  /** The rows are locked, so anything else is a defect, and nothing of it may be kept. */
  private static Future<Void> one(int rows) {
    return rows == 1
        ? Future.succeededFuture()
        : Future.failedFuture(new IllegalStateException("a payment changed " + rows + " rows"));
  }

  private static String shortened(String text, int maxChars) {
    return text.length() <= maxChars ? text : text.substring(0, maxChars);
  }

  private static WinId winOf(Row row) {
    return WinId.of(row.getInteger(0), row.getInteger(1), row.getLong(2), row.getLong(3));
  }
}

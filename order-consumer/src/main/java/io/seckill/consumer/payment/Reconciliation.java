package io.seckill.consumer.payment;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.id.OrderIds;
import io.seckill.common.id.WinId;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the provider about payments that have been open for long: its notice may have been lost.
 * What it says is taken as a notice is. A payment is asked about each time that its age has
 * doubled, until it is too old for anybody to pay it. Any number of nodes may do this. Belongs to
 * one event loop.
 */
final class Reconciliation {

  private static final Logger LOG = LoggerFactory.getLogger(Reconciliation.class);

  /** Questions at a time. */
  private static final int BATCH = 16;

  /** No provider keeps a payment open for longer; if money comes after all, its notice is taken. */
  private static final long GIVE_UP_MS = 7 * 86_400_000L;

  private final Database database;
  private final OrderIds orderIds;
  private final PaymentProvider provider;
  private final Payments payments;
  private final long reconcileAfterMs;
  private final PaymentMetrics metrics;
  private final LogRate logRate = new LogRate();

  /** A payment that is this reconciliation's to ask about. */
  private record Due(Payment payment, long ageMs) {}

  /**
   * Makes it.
   *
   * @param orderIds used by this event loop only
   * @param payments takes what the provider says
   * @param reconcileAfterMs least age of a payment, and least time between two questions about it
   */
  Reconciliation(
      Database database,
      OrderIds orderIds,
      PaymentProvider provider,
      Payments payments,
      long reconcileAfterMs,
      PaymentMetrics metrics) {
    this.database = database;
    this.orderIds = orderIds;
    this.provider = provider;
    this.payments = payments;
    this.reconcileAfterMs = reconcileAfterMs;
    this.metrics = metrics;
  }

  /** One batch; says whether there may be more that can be asked at once. */
  Future<Boolean> round() {
    return database
        .inTransactionRepeating(this::take)
        .compose(
            taken ->
                Future.join(taken.stream().map(this::ask).toList())
                    .map(
                        done ->
                            taken.size() == BATCH
                                && done.<Boolean>list().stream().allMatch(ok -> ok)));
  }

  private Future<List<Due>> take(SqlConnection connection) {
    return run(connection, Sql.FIND_DUE_PAYMENTS, Tuple.of(BATCH))
        .compose(
            rows -> {
              List<Due> due = new ArrayList<>(rows.size());
              Future<?> postponed = Future.succeededFuture();
              for (Row row : rows) {
                Due payment = dueOf(row);
                due.add(payment);
                long pauseMs = Math.max(reconcileAfterMs, payment.ageMs());
                postponed =
                    postponed.compose(
                        done ->
                            run(
                                connection,
                                Sql.POSTPONE_PAYMENT,
                                Tuple.of(pauseMs, payment.payment().id())));
              }
              return postponed.map(due);
            });
  }

  private Due dueOf(Row row) {
    WinId win = WinId.of(row.getInteger(1), row.getInteger(2), row.getLong(3), row.getLong(4));
    return new Due(
        new Payment(row.getString(0), orderIds.seal(win), row.getLong(5), row.getString(6)),
        row.getLong(7));
  }

  /** Whether the provider and MySQL answered; never fails. */
  private Future<Boolean> ask(Due due) {
    metrics.asked();
    return provider
        .query(due.payment())
        .compose(
            told ->
                told.isPresent() ? payments.notice(told.get()).<Void>mapEmpty() : stillOpen(due))
        .transform(
            result -> {
              if (result.failed() && logRate.allows()) {
                LOG.warn(
                    "asked the provider about payment {}: {}",
                    due.payment().id(),
                    result.cause().getMessage());
              }
              return Future.succeededFuture(result.succeeded());
            });
  }

  private Future<Void> stillOpen(Due due) {
    return due.ageMs() < GIVE_UP_MS
        ? Future.succeededFuture()
        : database
            .query(
                Sql.SETTLE_PAYMENT,
                Tuple.of(
                    PaymentState.FAILED.name(),
                    "",
                    0L,
                    "",
                    due.payment().id(),
                    PaymentState.OPEN.name()))
            .mapEmpty();
  }
}

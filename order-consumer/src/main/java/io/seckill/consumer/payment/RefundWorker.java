package io.seckill.consumer.payment;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.OrderEvent;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.LogRate;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.notify.OrderNews;
import io.seckill.consumer.orders.OrderLifeCycle;
import io.seckill.consumer.orders.OrderState;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends money back, and tries until the provider has done it. A refund is taken for a while by
 * moving its next time ahead; what the provider has done is marked afterwards, so a crash between
 * the two asks the provider again, which gives the money back once. Any number of nodes may do
 * this. Belongs to one event loop.
 */
final class RefundWorker {

  private static final Logger LOG = LoggerFactory.getLogger(RefundWorker.class);

  /** Refunds at the provider at a time: it is not to be flooded after it was away. */
  private static final int BATCH = 16;

  /** A provider that is away for hours is asked about each refund once in this time. */
  private static final long MAX_PAUSE_MS = 60_000;

  private static final int MAX_DOUBLINGS = 16;

  private final Database database;
  private final OrderIds orderIds;
  private final OrderNews news;
  private final PaymentProvider provider;
  private final long firstPauseMs;
  private final PaymentMetrics metrics;
  private final LogRate logRate = new LogRate();

  /** A refund that this worker has taken. */
  private record Refund(long id, WinId win, Payment payment, int tries) {}

  /**
   * Makes the worker.
   *
   * @param orderIds used by this event loop only
   */
  RefundWorker(
      Database database,
      OrderIds orderIds,
      OrderNews news,
      PaymentProvider provider,
      SeckillConfig.Payment config,
      PaymentMetrics metrics) {
    this.database = database;
    this.orderIds = orderIds;
    this.news = news;
    this.provider = provider;
    // Nobody takes a refund while this worker's call about it may still be under way.
    this.firstPauseMs = config.callTimeoutMs() + config.refundIntervalMs();
    this.metrics = metrics;
  }

  /** One batch; says whether there may be more that can be done at once. */
  Future<Boolean> round() {
    return database
        .inTransactionRepeating(this::take)
        .compose(
            taken ->
                Future.join(taken.stream().map(this::refund).toList())
                    .map(done -> done.<Boolean>list().stream().allMatch(ok -> ok))
                    .compose(
                        allDone ->
                            allDone && taken.size() == BATCH
                                ? Future.succeededFuture(true)
                                : countBacklog()));
  }

  private Future<List<Refund>> take(SqlConnection connection) {
    return run(connection, Sql.FIND_DUE_REFUNDS, Tuple.of(BATCH))
        .compose(
            rows -> {
              List<Refund> due = new ArrayList<>(rows.size());
              Future<?> postponed = Future.succeededFuture();
              for (Row row : rows) {
                Refund refund = refundOf(row);
                due.add(refund);
                postponed =
                    postponed.compose(
                        done ->
                            run(
                                connection,
                                Sql.POSTPONE_REFUND,
                                Tuple.of(pauseMs(refund.tries()), refund.id())));
              }
              return postponed.map(due);
            });
  }

  private Refund refundOf(Row row) {
    WinId win = WinId.of(row.getInteger(1), row.getInteger(2), row.getLong(3), row.getLong(4));
    Payment payment =
        new Payment(row.getString(5), orderIds.seal(win), row.getLong(6), row.getString(7));
    return new Refund(row.getLong(0), win, payment, row.getInteger(8));
  }

  private long pauseMs(int tries) {
    return Math.max(
        firstPauseMs, Math.min(MAX_PAUSE_MS, firstPauseMs << Math.min(tries, MAX_DOUBLINGS)));
  }

  /** Whether it is done; never fails. */
  private Future<Boolean> refund(Refund refund) {
    return provider
        .refund(refund.payment())
        .compose(given -> news.inTransaction(database, connection -> finish(connection, refund)))
        .transform(
            result -> {
              metrics.refund(result.succeeded());
              if (result.failed() && logRate.allows()) {
                LOG.warn(
                    "refund of payment {} failed, try {}: {}",
                    refund.payment().id(),
                    refund.tries() + 1,
                    result.cause().getMessage());
              }
              return Future.succeededFuture(result.succeeded());
            });
  }

  /** The order's row before the refund's, as everywhere. */
  private Future<OrderNews.Told<Boolean>> finish(SqlConnection connection, Refund refund) {
    return OrderLifeCycle.state(connection, refund.win())
        .compose(
            order ->
                run(connection, Sql.FINISH_REFUND, Tuple.of(refund.id()))
                    // Another node may have finished it; and of a cancelled order the refund
                    // changes nothing.
                    .compose(finished -> OrderLifeCycle.refunded(connection, refund.win()))
                    .map(
                        refunded ->
                            new OrderNews.Told<>(
                                refunded,
                                refunded
                                    ? List.of(told(refund, order.orElseThrow()))
                                    : List.of())));
  }

  private OrderEvent told(Refund refund, OrderState order) {
    return news.event(
        refund.win(),
        new UserId(order.user()),
        OrderStatus.REFUNDED,
        order.reason(),
        order.promoted());
  }

  private Future<Boolean> countBacklog() {
    return database
        .query(Sql.FIND_REFUND_BACKLOG, Tuple.tuple())
        .map(
            rows -> {
              Row row = rows.iterator().next();
              metrics.refundBacklog(row.getLong(0), row.getLong(1));
              return false;
            });
  }
}

package io.seckill.consumer.orders;

import io.seckill.common.bus.OrderCancel;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.Rounds;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.seckill.consumer.notify.OrderNews;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * Ends unpaid orders whose time is over. Any number of nodes do it at once: each leaves the rows
 * that another one has. One bounded transaction after the other, on a connection that neither
 * storing nor asking needs, so that a crowd that did not pay never keeps one from buying.
 */
public final class OrderTimeouts extends VerticleBase {

  /** How often the backlog is counted, which takes milliseconds when it is long. */
  private static final long BACKLOG_EVERY_NANOS = 5_000_000_000L;

  private final SeckillConfig config;
  private final ConsumerMetrics metrics;
  private Database database;
  private OrderNews news;
  private Releasing releasing;
  private Rounds rounds;
  private long countedAtNanos = System.nanoTime() - BACKLOG_EVERY_NANOS;

  /** Makes the verticle. */
  public OrderTimeouts(SeckillConfig config, ConsumerMetrics metrics) {
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.BACKGROUND);
    news = new OrderNews(vertx.eventBus(), config);
    releasing = new Releasing(vertx.eventBus(), metrics);
    rounds =
        new Rounds(vertx, "timing orders out", config.orders().timeoutIntervalMs(), this::round);
    rounds.start();
    return Future.succeededFuture();
  }

  /** Whether there may be more. What a round leaves, or does not hear of, the next one finds. */
  private Future<Boolean> round() {
    int batch = config.orders().timeoutBatch();
    return news.inTransaction(
            database, connection -> OrderLifeCycle.timeOut(connection, batch).map(this::told))
        .compose(
            ended -> {
              releasing.started(TimedOut.wins(ended), OrderCancel.BY_TIMEOUT);
              // Counting is for people: it must not hold up what is due.
              return count().otherwiseEmpty().map(ended.size() == batch);
            });
  }

  private OrderNews.Told<List<TimedOut>> told(List<TimedOut> ended) {
    return new OrderNews.Told<>(
        ended,
        ended.stream()
            .map(
                order ->
                    news.event(
                        order.win(),
                        order.user(),
                        OrderStatus.CANCELLED,
                        OrderCancel.BY_TIMEOUT,
                        order.promoted()))
            .toList());
  }

  private Future<Void> count() {
    long now = System.nanoTime();
    if (now - countedAtNanos < BACKLOG_EVERY_NANOS) {
      return Future.succeededFuture();
    }
    countedAtNanos = now;
    return database
        .query(Sql.FIND_ORDER_BACKLOG, Tuple.tuple())
        .map(
            rows -> {
              Row row = rows.iterator().next();
              metrics.backlog(row.getLong(0), row.getLong(1), row.getLong(2));
              metrics.letters(row.getLong(3), row.getLong(4));
              return null;
            });
  }

  @Override
  public Future<?> stop() {
    return rounds.stop().transform(done -> database.close());
  }
}

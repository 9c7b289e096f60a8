package io.seckill.consumer.notify;

import static io.seckill.consumer.db.Database.run;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderEvent;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.OrderIds;
import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import io.seckill.common.order.OrderStatus;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.db.Sql;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;

/**
 * What became of orders, for all who want to know. Whoever stores or changes orders calls {@link
 * #write} in his transaction, which makes a receiver outside hear of it for certain, and {@link
 * #publish} after the commit, which makes gateways hear of it at once. What is published may get
 * lost: gateways ask too.
 *
 * <p>Fit for all event loops.
 */
public final class OrderNews {

  private final EventBus bus;
  private final boolean hasReceiver;

  /** Seals for one event loop at a time. */
  private final OrderIds orderIds;

  /** Makes it. */
  public OrderNews(EventBus bus, SeckillConfig config) {
    this.bus = bus;
    this.hasReceiver = config.notification().enabled();
    this.orderIds = new OrderIds(HexFormat.of().parseHex(config.orderId().key().value()));
  }

  /** What an order is to become, or became, now. */
  public OrderEvent event(
      WinId win, UserId user, OrderStatus status, String reason, boolean promoted) {
    synchronized (orderIds) {
      return new OrderEvent(
          user, orderIds.seal(win), status, reason, promoted, System.currentTimeMillis());
    }
  }

  /**
   * Within the transaction that makes the changes, as its last step but for what many wait for.
   *
   * @param events those of one order in the order of its changes; none costs nothing, as do any
   *     without a receiver
   */
  public Future<Void> write(SqlConnection connection, List<OrderEvent> events) {
    if (!hasReceiver || events.isEmpty()) {
      return Future.succeededFuture();
    }
    JsonArray rows = new JsonArray();
    for (OrderEvent event : events) {
      rows.add(
          new JsonArray()
              .add(event.user().value())
              .add(event.orderId().value())
              .add(event.status().name())
              .add(event.reason())
              .add(event.promoted() ? 1 : 0));
    }
    return run(connection, Sql.INSERT_NOTIFICATIONS, Tuple.of(rows.encode())).mapEmpty();
  }

  /**
   * Runs a transaction as {@link Database#inTransactionRepeating} does, and tells what it changed.
   *
   * @param work says what it changed
   * @return what it says beside that, after the commit
   */
  public <T> Future<T> inTransaction(
      Database database, Function<SqlConnection, Future<Told<T>>> work) {
    return database
        .inTransactionRepeating(
            connection ->
                work.apply(connection).compose(told -> write(connection, told.events()).map(told)))
        .map(
            told -> {
              publish(told.events());
              return told.result();
            });
  }

  /**
   * How a transaction ends.
   *
   * @param result for whoever began it
   * @param events what became of orders, for all
   */
  public record Told<T>(T result, List<OrderEvent> events) {

    /** It changed no order. */
    public static <T> Told<T> nothing(T result) {
      return new Told<>(result, List.of());
    }
  }

  /** After the commit of what {@link #write} took part in. */
  public void publish(List<OrderEvent> events) {
    for (int from = 0; from < events.size(); from += OrderEvents.MAX) {
      int to = Math.min(events.size(), from + OrderEvents.MAX);
      bus.publish(Addresses.ORDER_EVENTS, new OrderEvents(events.subList(from, to)));
    }
  }
}

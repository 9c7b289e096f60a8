package io.seckill.consumer.orders;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.DeadLetter;
import io.seckill.common.bus.DeadLetterChange;
import io.seckill.common.bus.DeadLetterQuery;
import io.seckill.common.bus.DeadLetters;
import io.seckill.common.bus.DeadLettersQuery;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderEvents;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersChangedQuery;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.OrderIds;
import io.seckill.consumer.Answers;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.letters.DeadLetterDesk;
import io.seckill.consumer.notify.OrderNews;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.HexFormat;

/** Answers for orders, and changes them at the word of buyers and operators. */
public final class OrdersVerticle extends VerticleBase {

  private final SeckillConfig config;
  private final ConsumerMetrics metrics;
  private Database database;
  private RegionLog log;
  private Answers answers;

  /** Makes the verticle. */
  public OrdersVerticle(SeckillConfig config, ConsumerMetrics metrics) {
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    log = RegionLog.open(vertx, config);
    OrderIds orderIds = new OrderIds(HexFormat.of().parseHex(config.orderId().key().value()));
    OrderLookup lookup = new OrderLookup(database, log, config.node().region(), orderIds);
    ChangedOrders changed = new ChangedOrders(database, orderIds);
    OrderNews news = new OrderNews(vertx.eventBus(), config);
    DeadLetterDesk letters = new DeadLetterDesk(database, log, orderIds, news, vertx);
    OrderChanges changes =
        new OrderChanges(
            database, lookup, orderIds, news, new Releasing(vertx.eventBus(), metrics));
    answers =
        new Answers(vertx.eventBus())
            .<OrderQuery, OrderViews>on(Addresses.ORDER, lookup::one)
            .<OrdersQuery, OrderViews>on(Addresses.ORDERS, lookup::page)
            .<OrdersChangedQuery, OrderEvents>on(Addresses.ORDERS_CHANGED, changed::since)
            .<OrderCancel, OrderViews>on(Addresses.CANCEL_ORDER, changes::cancel)
            .<OrderRefund, OrderViews>on(Addresses.REFUND_ORDER, changes::refund)
            .<DeadLettersQuery, DeadLetters>on(Addresses.DEAD_LETTERS, letters::page)
            .<DeadLetterQuery, DeadLetter>on(Addresses.DEAD_LETTER, letters::one)
            .<DeadLetterChange, DeadLetter>on(Addresses.CHANGE_DEAD_LETTER, letters::change);
    return answers.registered();
  }

  @Override
  public Future<?> stop() {
    return answers.stop().transform(stopped -> log.close()).transform(closed -> database.close());
  }
}

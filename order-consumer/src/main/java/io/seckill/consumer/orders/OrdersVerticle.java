package io.seckill.consumer.orders;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.OrderIds;
import io.seckill.consumer.Answers;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.db.Database;
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
    OrderChanges changes =
        new OrderChanges(database, lookup, orderIds, new Releasing(vertx.eventBus(), metrics));
    answers =
        new Answers(vertx.eventBus())
            .<OrderQuery, OrderViews>on(Addresses.ORDER, lookup::one)
            .<OrdersQuery, OrderViews>on(Addresses.ORDERS, lookup::page)
            .<OrderCancel, OrderViews>on(Addresses.CANCEL_ORDER, changes::cancel)
            .<OrderRefund, OrderViews>on(Addresses.REFUND_ORDER, changes::refund);
    return answers.registered();
  }

  @Override
  public Future<?> stop() {
    return answers.stop().transform(stopped -> log.close()).transform(closed -> database.close());
  }
}

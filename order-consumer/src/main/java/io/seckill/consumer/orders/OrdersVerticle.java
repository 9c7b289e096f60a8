package io.seckill.consumer.orders;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.OrderQuery;
import io.seckill.common.bus.OrderViews;
import io.seckill.common.bus.OrdersQuery;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.OrderIds;
import io.seckill.consumer.Answers;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.db.Database;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.HexFormat;

/** Answers for orders. */
public final class OrdersVerticle extends VerticleBase {

  private final SeckillConfig config;
  private Database database;
  private RegionLog log;
  private Answers answers;

  /** Makes the verticle. */
  public OrdersVerticle(SeckillConfig config) {
    this.config = config;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    log = RegionLog.open(vertx, config);
    OrderIds orderIds = new OrderIds(HexFormat.of().parseHex(config.orderId().key().value()));
    OrderLookup lookup = new OrderLookup(database, log, config.node().region(), orderIds);
    answers =
        new Answers(vertx.eventBus())
            .<OrderQuery, OrderViews>on(Addresses.ORDER, lookup::one)
            .<OrdersQuery, OrderViews>on(Addresses.ORDERS, lookup::page);
    return answers.registered();
  }

  @Override
  public Future<?> stop() {
    return answers.stop().transform(stopped -> log.close()).transform(closed -> database.close());
  }
}

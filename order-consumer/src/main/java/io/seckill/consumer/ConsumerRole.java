package io.seckill.consumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.role.RoleDeployment;
import io.seckill.consumer.audit.AuditVerticle;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.ledger.LedgerVerticle;
import io.seckill.consumer.log.LogConsumerVerticle;
import io.seckill.consumer.notify.NotificationMetrics;
import io.seckill.consumer.notify.NotificationVerticle;
import io.seckill.consumer.orders.OrderTimeouts;
import io.seckill.consumer.orders.OrdersVerticle;
import io.seckill.consumer.payment.PaymentMetrics;
import io.seckill.consumer.payment.PaymentVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;

/**
 * The composition root of the consumer: what it deploys, and how to ask whether it can work. The
 * schema is not its business: the launcher runs {@link io.seckill.consumer.db.Migrator} first.
 */
public final class ConsumerRole {

  /** Shards share event loops; more instances than cores add nothing. */
  private static final int MAX_INSTANCES = Runtime.getRuntime().availableProcessors();

  private ConsumerRole() {}

  /** The verticles, in the order of their start. */
  public static List<RoleDeployment> deployments(SeckillConfig config, MeterRegistry registry) {
    ConsumerMetrics metrics = new ConsumerMetrics(registry);
    PaymentMetrics paymentMetrics = new PaymentMetrics(registry);
    NotificationMetrics notificationMetrics = new NotificationMetrics(registry);
    int instances = Math.min(config.redis().shards(), MAX_INSTANCES);
    return List.of(
        new RoleDeployment(
            "ledger", () -> new LedgerVerticle(config, metrics), new DeploymentOptions()),
        new RoleDeployment(
            "orders", () -> new OrdersVerticle(config, metrics), new DeploymentOptions()),
        new RoleDeployment(
            "order-timeouts", () -> new OrderTimeouts(config, metrics), new DeploymentOptions()),
        new RoleDeployment(
            "payments", () -> new PaymentVerticle(config, paymentMetrics), new DeploymentOptions()),
        new RoleDeployment(
            "notifications",
            () -> new NotificationVerticle(config, notificationMetrics),
            new DeploymentOptions()),
        new RoleDeployment(
            "log-consumer",
            LogConsumerVerticle.inTurn(config, metrics, instances),
            new DeploymentOptions().setInstances(instances)),
        new RoleDeployment(
            "audit", () -> new AuditVerticle(config, metrics), new DeploymentOptions()));
  }

  /**
   * Whether MySQL answers, for readiness; fails with the reason. Redis does not enter: without it
   * the ledger and the stored orders are still there.
   */
  public static Future<Void> ready(Vertx vertx, SeckillConfig config) {
    Database database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    return database.ping().eventually(database::close);
  }
}

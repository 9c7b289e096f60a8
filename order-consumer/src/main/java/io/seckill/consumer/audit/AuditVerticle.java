package io.seckill.consumer.audit;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.AuditReport;
import io.seckill.common.bus.AuditRequest;
import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.Answers;
import io.seckill.consumer.ConsumerMetrics;
import io.seckill.consumer.RegionLog;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.ledger.ItemLedger;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Answers for audits. */
public final class AuditVerticle extends VerticleBase {

  private final SeckillConfig config;
  private final ConsumerMetrics metrics;
  private Database database;
  private RegionLog log;
  private Answers answers;

  /** Makes the verticle. */
  public AuditVerticle(SeckillConfig config, ConsumerMetrics metrics) {
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    int region = config.node().region();
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    log = RegionLog.open(vertx, config);
    Audit audit =
        new Audit(
            vertx,
            log,
            new AuditQueries(database),
            new ItemLedger(database, region),
            region,
            metrics);
    answers =
        new Answers(vertx.eventBus()).<AuditRequest, AuditReport>on(Addresses.AUDIT, audit::run);
    return answers.registered();
  }

  @Override
  public Future<?> stop() {
    return answers.stop().transform(stopped -> log.close()).transform(closed -> database.close());
  }
}

package io.seckill.consumer.payment;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.bus.PaymentStart;
import io.seckill.common.bus.PaymentStarted;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.OrderIds;
import io.seckill.consumer.Answers;
import io.seckill.consumer.Rounds;
import io.seckill.consumer.db.Database;
import io.seckill.consumer.notify.OrderNews;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Answers for payments, sends refunds, and asks the provider what got lost. */
public final class PaymentVerticle extends VerticleBase {

  /** How often payments that have been open for long are looked for, unless that is sooner. */
  private static final long RECONCILE_EVERY_MS = 5_000;

  private final SeckillConfig config;
  private final PaymentMetrics metrics;
  private Database database;
  private Database background;
  private Optional<PaymentProvider> provider;
  private Answers answers;
  private List<Rounds> rounds;

  /** Makes the verticle. */
  public PaymentVerticle(SeckillConfig config, PaymentMetrics metrics) {
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    background = Database.open(vertx, config.mysql(), Database.Share.BACKGROUND);
    provider = provider();
    OrderIds orderIds = new OrderIds(HexFormat.of().parseHex(config.orderId().key().value()));
    long reconcileAfterMs = config.payment().reconcileAfterMs();
    OrderNews news = new OrderNews(vertx.eventBus(), config);
    Payments payments =
        new Payments(
            database,
            vertx.eventBus(),
            orderIds,
            news,
            new Payments.Terms(provider, reconcileAfterMs, config.mysql().statementTimeoutMs()),
            metrics);
    rounds = provider.map(taking -> rounds(taking, payments, orderIds, news)).orElseGet(List::of);
    rounds.forEach(Rounds::start);
    answers =
        new Answers(vertx.eventBus())
            .<PaymentStart, PaymentStarted>on(Addresses.START_PAYMENT, payments::start)
            .<PaymentNotice, Done>on(Addresses.PAYMENT_NOTICE, payments::notice);
    return answers.registered();
  }

  private Optional<PaymentProvider> provider() {
    return switch (config.payment().provider()) {
      case NONE -> Optional.empty();
      case SANDBOX -> Optional.of(new SandboxProvider(vertx, config.payment()));
    };
  }

  private List<Rounds> rounds(
      PaymentProvider taking, Payments payments, OrderIds orderIds, OrderNews news) {
    RefundWorker refunds =
        new RefundWorker(background, orderIds, news, taking, config.payment(), metrics);
    long reconcileAfterMs = config.payment().reconcileAfterMs();
    Reconciliation reconciliation =
        new Reconciliation(background, orderIds, taking, payments, reconcileAfterMs, metrics);
    return List.of(
        new Rounds(vertx, "refunds", config.payment().refundIntervalMs(), refunds::round),
        new Rounds(
            vertx,
            "reconciliation",
            Math.min(RECONCILE_EVERY_MS, reconcileAfterMs),
            reconciliation::round));
  }

  @Override
  public Future<?> stop() {
    return answers
        .stop()
        .transform(stopped -> Future.join(rounds.stream().map(Rounds::stop).toList()))
        .transform(ended -> provider.map(PaymentProvider::close).orElseGet(Future::succeededFuture))
        .transform(closed -> background.close())
        .transform(closed -> database.close());
  }
}

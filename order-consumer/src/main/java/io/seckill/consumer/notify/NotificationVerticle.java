package io.seckill.consumer.notify;

import io.seckill.common.bus.Addresses;
import io.seckill.common.bus.Done;
import io.seckill.common.bus.NotificationRetry;
import io.seckill.common.bus.Notifications;
import io.seckill.common.bus.NotificationsQuery;
import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.Answers;
import io.seckill.consumer.Rounds;
import io.seckill.consumer.db.Database;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.Optional;

/** Tells the receiver, when there is one, and answers operators who ask what it was told. */
public final class NotificationVerticle extends VerticleBase {

  private final SeckillConfig config;
  private final NotificationMetrics metrics;
  private Database database;
  private Database background;
  private Optional<Telling> telling;
  private Rounds upkeep;
  private Answers answers;

  /** The work that there is with a receiver only. */
  private record Telling(Webhook webhook, NotificationWorker worker, Rounds rounds) {

    Future<?> stop() {
      return rounds.stop().transform(ended -> worker.idle()).transform(written -> webhook.close());
    }
  }

  /** Makes the verticle. */
  public NotificationVerticle(SeckillConfig config, NotificationMetrics metrics) {
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    database = Database.open(vertx, config.mysql(), Database.Share.ASKING);
    background = Database.open(vertx, config.mysql(), Database.Share.BACKGROUND);
    telling = config.notification().enabled() ? Optional.of(telling()) : Optional.empty();
    telling.ifPresent(active -> active.rounds().start());
    upkeep =
        new Rounds(
            vertx,
            "upkeep of notifications",
            NotificationUpkeep.EVERY_MS,
            new NotificationUpkeep(background, metrics)::round);
    upkeep.start();
    NotificationDesk desk = new NotificationDesk(database, config.notification());
    answers =
        new Answers(vertx.eventBus())
            .<NotificationsQuery, Notifications>on(Addresses.NOTIFICATIONS, desk::page)
            .<NotificationRetry, Done>on(Addresses.RETRY_NOTIFICATION, desk::retry);
    return answers.registered();
  }

  private Telling telling() {
    Webhook webhook = new Webhook(vertx, config.notification(), NotificationWorker.MAX_CALLS);
    NotificationWorker worker =
        new NotificationWorker(background, webhook, config.notification(), metrics);
    return new Telling(
        webhook,
        worker,
        new Rounds(vertx, "notifications", config.notification().intervalMs(), worker::round));
  }

  @Override
  public Future<?> stop() {
    return answers
        .stop()
        .transform(stopped -> Future.join(upkeep.stop(), stopTelling()))
        .transform(ended -> background.close())
        .transform(closed -> database.close());
  }

  private Future<?> stopTelling() {
    return telling.isPresent() ? telling.get().stop() : Future.succeededFuture();
  }
}

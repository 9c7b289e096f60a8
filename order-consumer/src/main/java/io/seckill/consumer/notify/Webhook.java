package io.seckill.consumer.notify;

import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.SignedPosts;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.PoolOptions;

/** Posts notifications to the receiver, each signed like a callback. Belongs to one event loop. */
final class Webhook {

  /** The header that names a notification. */
  static final String ID_HEADER = "X-Seckill-Notification";

  private final SignedPosts posts;
  private final String url;

  /**
   * Makes a client; connects when first used.
   *
   * @param maxCalls calls at a time; nobody makes more
   */
  Webhook(Vertx vertx, SeckillConfig.Notification config, int maxCalls) {
    this.url = config.webhookUrl();
    this.posts =
        new SignedPosts(
            vertx,
            config.secret(),
            config.callTimeoutMs(),
            new PoolOptions().setHttp1MaxSize(maxCalls).setMaxWaitQueueSize(maxCalls));
  }

  /** Completes when the receiver has said 2xx, whatever it says beside that. */
  Future<Void> post(Outgoing notification) {
    MultiMap id = HttpHeaders.headers().add(ID_HEADER, Long.toString(notification.id()));
    return posts.post(
        url,
        id,
        notification.body(),
        answer ->
            answer.status() / 100 == 2
                ? Future.succeededFuture()
                : Future.failedFuture("HTTP " + answer.status()));
  }

  Future<Void> close() {
    return posts.close();
  }
}

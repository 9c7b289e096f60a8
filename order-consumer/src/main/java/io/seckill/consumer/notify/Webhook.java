package io.seckill.consumer.notify;

import io.seckill.common.config.SeckillConfig;
import io.seckill.common.payment.CallbackSignature;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.TimeUnit;

/** Posts notifications to the receiver, each signed like a callback. Belongs to one event loop. */
final class Webhook {

  /** The header that names a notification. */
  static final String ID_HEADER = "X-Seckill-Notification";

  /** What a receiver says beside its status is not read; more than this is not waited for. */
  private static final int MAX_ANSWER_BYTES = 16_384;

  private final HttpClientAgent client;
  private final String url;
  private final long callTimeoutMs;
  private final CallbackSignature signature;

  /**
   * Makes a client; connects when first used.
   *
   * @param maxCalls calls at a time; nobody makes more
   */
  Webhook(Vertx vertx, SeckillConfig.Notification config, int maxCalls) {
    this.url = config.webhookUrl();
    this.callTimeoutMs = config.callTimeoutMs();
    this.signature = new CallbackSignature(config.secret().value());
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setConnectTimeout((int) callTimeoutMs),
            new PoolOptions().setHttp1MaxSize(maxCalls).setMaxWaitQueueSize(maxCalls));
  }

  /** Completes when the receiver has said 2xx; a redirection is not followed. */
  Future<Void> post(Outgoing notification) {
    Buffer body = notification.body();
    String signed = signature.sign(body.getBytes(), System.currentTimeMillis());
    boolean[] over = {false};
    Future<HttpClientRequest> opened =
        client.request(
            new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(url)
                .setTimeout(callTimeoutMs)
                .setIdleTimeout(callTimeoutMs)
                .putHeader("Content-Type", "application/json")
                .putHeader(ID_HEADER, Long.toString(notification.id()))
                .putHeader(CallbackSignature.HEADER, signed));
    return opened
        .compose(http -> over[0] ? Future.failedFuture("too late") : send(http, body))
        .timeout(callTimeoutMs, TimeUnit.MILLISECONDS)
        .onFailure(
            failure -> {
              over[0] = true;
              // What did not end well must not be taken for the next answer, and keeps no
              // connection.
              opened.onSuccess(HttpClientRequest::reset);
            });
  }

  private static Future<Void> send(HttpClientRequest http, Buffer body) {
    return http.send(body).compose(response -> ended(http, response));
  }

  private static Future<Void> ended(HttpClientRequest http, HttpClientResponse response) {
    Promise<Void> answered = Promise.promise();
    int[] bytes = {0};
    response
        .handler(
            part -> {
              bytes[0] += part.length();
              if (bytes[0] > MAX_ANSWER_BYTES) {
                judge(response, answered);
                http.reset();
              }
            })
        .exceptionHandler(answered::tryFail)
        .endHandler(end -> judge(response, answered));
    return answered.future();
  }

  private static void judge(HttpClientResponse response, Promise<Void> answered) {
    int status = response.statusCode();
    if (status / 100 == 2) {
      answered.tryComplete();
    } else {
      answered.tryFail("HTTP " + status);
    }
  }

  Future<Void> close() {
    return client.close();
  }
}

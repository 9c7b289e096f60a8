package io.seckill.consumer;

import io.seckill.common.config.Secret;
import io.seckill.common.payment.CallbackSignature;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
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
import java.util.function.Function;

/**
 * JSON that is posted to somebody outside, signed like a callback. A call has a bound of time and
 * of bytes, whoever answers, and none follows a redirection. Belongs to one event loop.
 */
public final class SignedPosts {

  /** Nobody has more to say; what comes beyond it is not waited for. */
  private static final int MAX_ANSWER_BYTES = 16_384;

  private final HttpClientAgent client;
  private final CallbackSignature signature;
  private final long callTimeoutMs;

  /**
   * Makes a client; connects when first used.
   *
   * @param secret signs
   * @param callTimeoutMs bound on one call, the wait for a connection included
   * @param pool calls at a time, and how many may wait
   */
  public SignedPosts(Vertx vertx, Secret secret, long callTimeoutMs, PoolOptions pool) {
    this.signature = new CallbackSignature(secret.value());
    this.callTimeoutMs = callTimeoutMs;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setConnectTimeout((int) callTimeoutMs), pool);
  }

  /**
   * What was answered.
   *
   * @param status HTTP status
   * @param body as far as it was read
   * @param isCut whether there was more of it than anybody waits for
   */
  public record Answer(int status, Buffer body, boolean isCut) {}

  /**
   * Posts.
   *
   * @param more header fields besides those of every call
   * @param judge what the answer means; what it fails with did not end well
   * @return as {@code judge} says; fails when there was no answer in time
   */
  public <T> Future<T> post(
      String url, MultiMap more, Buffer body, Function<Answer, Future<T>> judge) {
    String signed = signature.sign(body.getBytes(), System.currentTimeMillis());
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setAbsoluteURI(url)
            .setTimeout(callTimeoutMs)
            .setIdleTimeout(callTimeoutMs)
            .putHeader("Content-Type", "application/json")
            .putHeader(CallbackSignature.HEADER, signed);
    more.forEach(options::putHeader);
    boolean[] over = {false};
    Future<HttpClientRequest> opened = client.request(options);
    return opened
        .compose(http -> over[0] ? Future.failedFuture("too late") : send(http, body))
        .compose(judge)
        .timeout(callTimeoutMs, TimeUnit.MILLISECONDS)
        .onFailure(
            failure -> {
              over[0] = true;
              // What did not end well must not be taken for the next answer, and keeps no
              // connection.
              opened.onSuccess(HttpClientRequest::reset);
            });
  }

  private static Future<Answer> send(HttpClientRequest http, Buffer body) {
    return http.send(body).compose(response -> read(http, response));
  }

  private static Future<Answer> read(HttpClientRequest http, HttpClientResponse response) {
    Promise<Answer> answer = Promise.promise();
    Buffer body = Buffer.buffer();
    response
        .handler(
            part -> {
              if (body.length() + part.length() <= MAX_ANSWER_BYTES) {
                body.appendBuffer(part);
              } else {
                answer.tryComplete(new Answer(response.statusCode(), body, true));
                http.reset();
              }
            })
        .exceptionHandler(answer::tryFail)
        .endHandler(end -> answer.tryComplete(new Answer(response.statusCode(), body, false)));
    return answer.future();
  }

  /** Closes all connections. */
  public Future<Void> close() {
    return client.close();
  }
}

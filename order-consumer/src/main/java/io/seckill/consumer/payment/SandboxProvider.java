package io.seckill.consumer.payment;

import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.config.SeckillConfig;
import io.seckill.consumer.SignedPosts;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Speaks to the sandbox provider: JSON over HTTP, each request signed like a callback. Belongs to
 * one event loop.
 */
final class SandboxProvider implements PaymentProvider {

  /** Calls at a time; the refund worker has no more in flight. */
  private static final int MAX_CONNECTIONS = 16;

  /** Payments that buyers start while all connections are busy; beyond it they are told so. */
  private static final int MAX_WAITING = 256;

  private static final int MAX_REF_CHARS = 128;

  private final SignedPosts posts;
  private final String baseUrl;

  /** Makes a client; connects when first used. */
  SandboxProvider(Vertx vertx, SeckillConfig.Payment config) {
    String url = config.sandboxUrl();
    this.baseUrl = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    this.posts =
        new SignedPosts(
            vertx,
            config.secret(),
            config.callTimeoutMs(),
            new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING));
  }

  @Override
  public Future<String> start(Payment payment) {
    return ask("start", payment)
        .map(
            answer -> {
              String url = answer.getString("redirectUrl");
              if (url == null) {
                throw new IllegalStateException("the provider did not say where to pay");
              }
              return url;
            });
  }

  @Override
  public Future<Optional<PaymentNotice>> query(Payment payment) {
    return ask("query", payment).map(answer -> noticeOf(payment, answer));
  }

  private static Optional<PaymentNotice> noticeOf(Payment payment, JsonObject answer) {
    String status = answer.getString("status", "");
    return switch (status) {
      case "PAID", "FAILED" ->
          Optional.of(
              new PaymentNotice(
                  payment.id(),
                  payment.orderId(),
                  PaymentNotice.Status.valueOf(status),
                  answer.getLong("amountMinor", -1L),
                  answer.getString("currency", ""),
                  shortened(answer.getString("providerRef", ""))));
      case "OPEN", "UNKNOWN" -> Optional.empty();
      default -> throw new IllegalStateException("the provider says " + status);
    };
  }

  private static String shortened(String ref) {
    return ref.length() <= MAX_REF_CHARS ? ref : ref.substring(0, MAX_REF_CHARS);
  }

  @Override
  public Future<Void> refund(Payment payment) {
    return ask("refund", payment)
        .compose(
            answer ->
                Boolean.TRUE.equals(answer.getValue("refunded"))
                    ? Future.succeededFuture()
                    : Future.failedFuture("the provider did not say that the money is back"));
  }

  private Future<JsonObject> ask(String request, Payment payment) {
    Buffer body =
        new JsonObject()
            // Under the signature, so that no request passes for another.
            .put("request", request)
            .put("paymentId", payment.id())
            .put("orderId", payment.orderId().value())
            .put("amountMinor", payment.amountMinor())
            .put("currency", payment.currency())
            .toBuffer();
    return posts.post(
        baseUrl + "/v1/payments/" + request, HttpHeaders.headers(), body, SandboxProvider::judge);
  }

  private static Future<JsonObject> judge(SignedPosts.Answer answer) {
    if (answer.isCut()) {
      return Future.failedFuture("the provider answered too much");
    }
    return answer.status() == 200
        ? Future.succeededFuture(jsonOf(answer.body()))
        : Future.failedFuture("the provider answered " + answer.status());
  }

  /** What is no JSON object says nothing. */
  private static JsonObject jsonOf(Buffer body) {
    try {
      return body.toJsonObject();
    } catch (DecodeException | ClassCastException e) {
      return new JsonObject();
    }
  }

  @Override
  public Future<Void> close() {
    return posts.close();
  }
}

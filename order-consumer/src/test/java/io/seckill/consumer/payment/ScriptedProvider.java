package io.seckill.consumer.payment;

import io.seckill.common.payment.CallbackSignature;
import io.seckill.consumer.ConsumerBed;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider over real HTTP that does as the test says and remembers what it was asked. */
final class ScriptedProvider implements AutoCloseable {

  static final String SECRET = "the-secret-of-the-scripted-provider";

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setUseDaemonThread(true));
  private final CallbackSignature signature = new CallbackSignature(SECRET);
  private final HttpServer server;
  private final List<JsonObject> asked = new CopyOnWriteArrayList<>();
  private final Map<String, String> outcomes = new ConcurrentHashMap<>();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger evasions = new AtomicInteger();

  ScriptedProvider() {
    server =
        ConsumerBed.await(
            vertx
                .createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
                .listen(0, "127.0.0.1"));
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  /** The next requests are answered 503. */
  void refuse(int requests) {
    refusals.set(requests);
  }

  /** The next refunds are answered 200, and that no money is back. */
  void evade(int refunds) {
    evasions.set(refunds);
  }

  /** What it says of a payment when it is asked. */
  void decide(String paymentId, String outcome) {
    outcomes.put(paymentId, outcome);
  }

  /** The payments that it was asked to do this with, refused ones too. */
  List<String> asked(String what) {
    return asked.stream()
        .filter(request -> request.getString("request").equals(what))
        .map(request -> request.getString("paymentId"))
        .toList();
  }

  private void answer(HttpServerRequest request, Buffer body) {
    boolean signed =
        signature.verify(
            body.getBytes(),
            request.getHeader(CallbackSignature.HEADER),
            System.currentTimeMillis());
    JsonObject question = body.toJsonObject();
    boolean right = request.path().equals("/v1/payments/" + question.getString("request"));
    if (!signed || !right) {
      request.response().setStatusCode(401).end();
      return;
    }
    asked.add(question);
    if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      request.response().setStatusCode(503).end();
      return;
    }
    String id = question.getString("paymentId");
    boolean refunded =
        question.getString("request").equals("refund")
            && evasions.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
    request
        .response()
        .end(
            question
                .put("redirectUrl", url() + "/pay/" + id)
                .put("status", outcomes.getOrDefault(id, "OPEN"))
                .put("providerRef", "ref-" + id)
                .put("refunded", refunded)
                .toBuffer());
  }

  @Override
  public void close() {
    ConsumerBed.await(vertx.close());
  }
}

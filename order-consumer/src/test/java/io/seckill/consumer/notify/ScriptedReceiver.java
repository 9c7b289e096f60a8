package io.seckill.consumer.notify;

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

/** A receiver over real HTTP that does as the test says and remembers what it was told. */
final class ScriptedReceiver implements AutoCloseable {

  static final String SECRET = "the-secret-of-the-scripted-receiver";

  /** An answer that never comes. */
  static final int SILENCE = 0;

  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setUseDaemonThread(true));
  private final CallbackSignature signature = new CallbackSignature(SECRET);
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final Map<String, AtomicInteger> triesById = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> openByUser = new ConcurrentHashMap<>();
  private final AtomicInteger overlaps = new AtomicInteger();
  private final Script script;
  private HttpServer server;

  /** What to answer: the status, or {@link #SILENCE}. */
  interface Script {
    int answer(JsonObject notification, int tries);
  }

  /**
   * A call that was answered, or will never be.
   *
   * @param body what was told
   * @param atMs when it came
   * @param status what was answered
   */
  record Call(JsonObject body, long atMs, int status) {

    String id() {
      return body.getString("id");
    }

    String user() {
      return body.getString("user");
    }

    boolean isAccepted() {
      return status / 100 == 2;
    }
  }

  ScriptedReceiver(Script script) {
    this.script = script;
    appear(0);
  }

  /** One that takes everything. */
  static ScriptedReceiver willing() {
    return new ScriptedReceiver((notification, tries) -> 204);
  }

  String url() {
    return "http://127.0.0.1:" + port() + "/hook";
  }

  int port() {
    return server.actualPort();
  }

  /** Takes calls again, at the port where it was. */
  void appear(int port) {
    server =
        ConsumerBed.await(
            vertx
                .createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
                .listen(port, "127.0.0.1"));
  }

  /** Refuses connections. */
  void disappear() {
    ConsumerBed.await(server.close());
  }

  List<Call> calls() {
    return calls;
  }

  List<Call> accepted() {
    return calls.stream().filter(Call::isAccepted).toList();
  }

  /** How often a call came while another one of the same user was open. */
  int overlaps() {
    return overlaps.get();
  }

  private void answer(HttpServerRequest request, Buffer body) {
    JsonObject told = body.toJsonObject();
    boolean signed =
        signature.verify(
            body.getBytes(),
            request.getHeader(CallbackSignature.HEADER),
            System.currentTimeMillis());
    boolean named = told.getString("id").equals(request.getHeader(Webhook.ID_HEADER));
    if (!signed || !named || !request.path().equals("/hook")) {
      request.response().setStatusCode(401).end();
      return;
    }
    String user = told.getString("user");
    AtomicInteger open = openByUser.computeIfAbsent(user, id -> new AtomicInteger());
    if (open.incrementAndGet() > 1) {
      overlaps.incrementAndGet();
    }
    int tries =
        triesById
            .computeIfAbsent(told.getString("id"), id -> new AtomicInteger())
            .incrementAndGet();
    int status = script.answer(told, tries);
    calls.add(new Call(told, System.currentTimeMillis(), status));
    if (status == SILENCE) {
      request.connection().closeHandler(closed -> open.decrementAndGet());
    } else {
      open.decrementAndGet();
      request.response().setStatusCode(status).end("thanks");
    }
  }

  @Override
  public void close() {
    ConsumerBed.await(vertx.close());
  }
}

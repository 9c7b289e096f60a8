package io.seckill.launcher.load;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** A server that answers as a test says, to try the crowd on. */
final class ScriptedShop implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  /** Answers one request, whose body has arrived. */
  interface Script {
    void answer(HttpServerRequest request, Buffer body);
  }

  ScriptedShop(Script script) {
    server =
        await(
            vertx
                .createHttpServer()
                .requestHandler(
                    request -> request.body().onSuccess(body -> script.answer(request, body)))
                .listen(0, "127.0.0.1"));
  }

  SocketAddress address() {
    return SocketAddress.inetSocketAddress(server.actualPort(), "127.0.0.1");
  }

  static void win(HttpServerRequest request, int status, String orderId) {
    request
        .response()
        .setStatusCode(status)
        .end("{\"orderId\":\"" + orderId + "\",\"status\":\"ACCEPTED\",\"remaining\":1}");
  }

  static void refuse(HttpServerRequest request, int status, String code) {
    if (status == 503 || status == 429) {
      request.response().putHeader("Retry-After", "1");
    }
    String more = code.equals("OUTCOME_UNKNOWN") ? ",\"outcome\":\"unknown\"" : "";
    request
        .response()
        .setStatusCode(status)
        .end("{\"status\":" + status + ",\"code\":\"" + code + "\"" + more + "}");
  }

  static String orderId(int number) {
    return "%026d".formatted(number);
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}

package io.seckill.launcher.node;

import io.seckill.common.config.SeckillConfig;
import io.seckill.launcher.LaunchException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;

/**
 * The management port: {@code /health/live}, {@code /health/ready}, {@code /metrics}, and nothing
 * else. Liveness depends on nothing but this event loop.
 */
final class ManagementServer extends VerticleBase {

  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String JSON_TYPE = "application/json";
  private static final int IDLE_S = 30;
  private static final int MAX_LINE_BYTES = 1_024;
  private static final int MAX_HEADER_BYTES = 4_096;

  private final SeckillConfig.Management config;
  private final Source source;
  private final Promise<Integer> port;
  private HttpServer server;

  /** A scrape that is under way; who asks meanwhile shares it. */
  private Future<Buffer> scrape = Future.succeededFuture();

  /**
   * What is shown.
   *
   * @param health the latest report; cheap
   * @param metrics the Prometheus text; slow
   */
  record Source(Supplier<HealthReport> health, Supplier<String> metrics) {}

  /**
   * A server that is not started yet.
   *
   * @param config where to listen
   * @param source what is shown
   * @param port is told the real port
   */
  ManagementServer(SeckillConfig.Management config, Source source, Promise<Integer> port) {
    this.config = config;
    this.source = source;
    this.port = port;
  }

  @Override
  public Future<?> start() {
    server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setIdleTimeout(IDLE_S)
                    .setMaxInitialLineLength(MAX_LINE_BYTES)
                    .setMaxHeaderSize(MAX_HEADER_BYTES)
                    .setHttp2ClearTextEnabled(false))
            .requestHandler(this::answer);
    return server
        .listen(config.port(), config.host())
        .onSuccess(listening -> port.complete(listening.actualPort()))
        .recover(failure -> Future.failedFuture(cannotListen(failure)));
  }

  private LaunchException cannotListen(Throwable failure) {
    return new LaunchException(
        "management.port: cannot listen on "
            + config.host()
            + ':'
            + config.port()
            + " ("
            + failure.getMessage()
            + "); stop the other program or choose another port",
        failure);
  }

  private void answer(HttpServerRequest request) {
    String path = request.path();
    boolean known =
        path != null
            && switch (path) {
              case "/health/live", "/health/ready", "/metrics" -> true;
              default -> false;
            };
    if (!known) {
      request.response().setStatusCode(404).end();
    } else if (!request.method().equals(HttpMethod.GET)
        && !request.method().equals(HttpMethod.HEAD)) {
      request.response().setStatusCode(405).putHeader(HttpHeaders.ALLOW, "GET, HEAD").end();
    } else {
      switch (path) {
        case "/health/live" -> send(request, 200, new JsonObject().put("live", true));
        case "/health/ready" -> {
          HealthReport report = source.health().get();
          send(request, report.ready() ? 200 : 503, report.toJson());
        }
        default -> sendMetrics(request);
      }
    }
  }

  private static void send(HttpServerRequest request, int status, JsonObject body) {
    request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, JSON_TYPE)
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .end(body.toBuffer());
  }

  /** Off the event loop, and one at a time however many ask. */
  private void sendMetrics(HttpServerRequest request) {
    if (scrape.isComplete()) {
      scrape = vertx.executeBlocking(() -> Buffer.buffer(source.metrics().get()), false);
    }
    scrape
        .onSuccess(
            text -> request.response().putHeader(HttpHeaders.CONTENT_TYPE, METRICS_TYPE).end(text))
        .onFailure(failure -> request.response().setStatusCode(500).end());
  }

  @Override
  public Future<?> stop() {
    return server == null ? Future.succeededFuture() : server.close();
  }
}

package io.seckill.gateway.http;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** Serves one port on one event loop. */
public final class HttpVerticle extends VerticleBase {

  /** Waiting connections that the operating system keeps; a sale opens for many at once. */
  private static final int BACKLOG = 4_096;

  private static final long MAX_SWEEP_MS = 1_000;

  private final Listener listener;
  private final HttpLimits limits;
  private final Guards guards;
  private final Function<Vertx, Future<List<Endpoint>>> endpoints;
  private HttpFront front;
  private HttpServer server;

  /**
   * A verticle that is not started yet.
   *
   * @param listener where to listen
   * @param limits bounds of the port
   * @param guards what stands in front of the endpoints
   * @param endpoints makes them on the event loop; listening begins when they are there
   */
  public HttpVerticle(
      Listener listener,
      HttpLimits limits,
      Guards guards,
      Function<Vertx, Future<List<Endpoint>>> endpoints) {
    this.listener = listener;
    this.limits = limits;
    this.guards = guards;
    this.endpoints = endpoints;
  }

  /**
   * Where a port is.
   *
   * @param host address to listen on
   * @param port the port; 0 for a free one; a negative number for a free one that all instances
   *     which name the same number share
   * @param key the configuration key, for the message when the port is taken
   * @param bound is told the real port
   */
  public record Listener(String host, int port, String key, IntConsumer bound) {}

  @Override
  public Future<?> start() {
    return endpoints.apply(vertx).compose(this::listen);
  }

  private Future<HttpServer> listen(List<Endpoint> made) {
    HttpServerOptions options = options();
    front = new HttpFront(vertx, options, limits, guards, made);
    vertx.setPeriodic(
        Math.min(Math.max(limits.requestTimeoutMs() / 4, 10), MAX_SWEEP_MS),
        unused -> front.endOverdue());
    server =
        vertx
            .createHttpServer(options)
            .connectionHandler(front::onConnection)
            // Never reached: each connection is given a handler that knows it.
            .requestHandler(request -> request.connection().close());
    return server
        .listen(listener.port(), listener.host())
        .onSuccess(listening -> listener.bound().accept(listening.actualPort()))
        .recover(cause -> Future.failedFuture(cannotListen(cause)));
  }

  @Override
  public Future<?> stop() {
    if (server == null) {
      return Future.succeededFuture();
    }
    front.endLive();
    return server.shutdown(limits.shutdownMs(), TimeUnit.MILLISECONDS);
  }

  private HttpServerOptions options() {
    return new HttpServerOptions()
        .setAcceptBacklog(BACKLOG)
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setIdleTimeout((int) limits.idleTimeoutMs())
        // One request at a time on a connection is what the limits here count. HTTP/2 ends at the
        // ingress.
        .setHttp2ClearTextEnabled(false)
        .setStrictThreadMode(true)
        .setTracingPolicy(TracingPolicy.IGNORE);
  }

  private IllegalStateException cannotListen(Throwable cause) {
    return new IllegalStateException(
        listener.key()
            + ": cannot listen on "
            + listener.host()
            + ':'
            + listener.port()
            + " ("
            + cause.getMessage()
            + "); stop the other program or choose another port",
        cause);
  }
}

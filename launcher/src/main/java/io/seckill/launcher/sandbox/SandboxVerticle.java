package io.seckill.launcher.sandbox;

import io.seckill.common.payment.CallbackSignature;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/**
 * The sandbox provider on a port of its own: {@code /v1/payments/start}, {@code query} and {@code
 * refund} for the shop, signed; {@code /pay/<payment>} for the buyer. Whoever knows a payment's
 * name may decide about it, as no money moves; so it listens on loopback only.
 */
public final class SandboxVerticle extends VerticleBase {

  private static final String HOST = "127.0.0.1";
  private static final int IDLE_S = 30;
  private static final int MAX_BODY_BYTES = 4_096;
  private static final String API = "/v1/payments/";
  private static final String PAY = "/pay/";

  private final String secret;
  private final Promise<String> url;
  private final Future<String> shopUrl;
  private SandboxCallbacks callbacks;
  private SandboxDesk desk;
  private HttpServer server;

  /**
   * A sandbox that is not started yet.
   *
   * @param secret signs requests and callbacks
   * @param url is told where the sandbox is, without a slash at the end
   * @param shopUrl where the shop is, without a slash at the end, once it is known; until then no
   *     callback is sent
   */
  public SandboxVerticle(String secret, Promise<String> url, Future<String> shopUrl) {
    this.secret = secret;
    this.url = url;
    this.shopUrl = shopUrl;
  }

  @Override
  public Future<?> start() {
    CallbackSignature signature = new CallbackSignature(secret);
    callbacks = new SandboxCallbacks(vertx, signature, shopUrl);
    desk = new SandboxDesk(signature, callbacks, url.future().map(own -> own + PAY));
    server =
        vertx
            .createHttpServer(
                new HttpServerOptions().setIdleTimeout(IDLE_S).setHttp2ClearTextEnabled(false))
            .requestHandler(this::route);
    return server
        .listen(0, HOST)
        .onSuccess(listening -> url.complete("http://" + HOST + ":" + listening.actualPort()));
  }

  private void route(HttpServerRequest request) {
    String path = request.path() == null ? "" : request.path();
    boolean post = request.method().equals(HttpMethod.POST);
    boolean get = request.method().equals(HttpMethod.GET);
    if (post && path.startsWith(API)) {
      body(request).onSuccess(body -> ask(request, path.substring(API.length()), body));
    } else if (post && path.startsWith(PAY)) {
      body(request).onSuccess(body -> decide(request, path.substring(PAY.length()), body));
    } else if (get && path.startsWith(PAY)) {
      show(request, path.substring(PAY.length()));
    } else if (get && path.equals("/style.css")) {
      request
          .response()
          .putHeader(HttpHeaders.CONTENT_TYPE, "text/css; charset=utf-8")
          .end(SandboxPage.STYLE);
    } else {
      page(request, 404, SandboxPage.saying("There is nothing here."));
    }
  }

  /** The whole body; a longer one is refused here, and the future never completes. */
  private static Future<Buffer> body(HttpServerRequest request) {
    Promise<Buffer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    request.handler(
        part -> {
          if (body.length() + part.length() > MAX_BODY_BYTES) {
            request.response().setStatusCode(413).putHeader(HttpHeaders.CONNECTION, "close").end();
            request.handler(ignored -> {}).endHandler(ignored -> {});
          } else {
            body.appendBuffer(part);
          }
        });
    request.endHandler(end -> whole.complete(body));
    return whole.future();
  }

  private void ask(HttpServerRequest request, String what, Buffer body) {
    SandboxDesk.Answer answer = desk.ask(what, request.getHeader(CallbackSignature.HEADER), body);
    request
        .response()
        .setStatusCode(answer.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .end(answer.body().toBuffer());
  }

  private void show(HttpServerRequest request, String id) {
    Optional<SandboxPayment> payment = desk.find(id);
    if (payment.isEmpty()) {
      page(request, 404, SandboxPage.saying("This payment is not known here."));
    } else {
      String shop = shopUrl.succeeded() ? shopUrl.result() : "";
      page(request, 200, SandboxPage.of(payment.get(), shop));
    }
  }

  private void decide(HttpServerRequest request, String id, Buffer body) {
    Optional<SandboxPayment> payment = desk.find(id);
    if (payment.isEmpty()) {
      page(request, 404, SandboxPage.saying("This payment is not known here."));
      return;
    }
    try {
      desk.decide(payment.get(), body);
      // A second click of an impatient buyer sees what the first one did.
      request.response().setStatusCode(303).putHeader(HttpHeaders.LOCATION, PAY + id).end();
    } catch (IllegalArgumentException e) {
      page(request, 400, SandboxPage.saying(e.getMessage()));
    }
  }

  private static void page(HttpServerRequest request, int status, String html) {
    request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader("Content-Security-Policy", SandboxPage.POLICY)
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("X-Content-Type-Options", "nosniff")
        .end(html);
  }

  @Override
  public Future<?> stop() {
    return server.close().transform(closed -> callbacks.close());
  }
}

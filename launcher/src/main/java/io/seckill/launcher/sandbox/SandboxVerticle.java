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
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
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
  private static final int MAX_TEXT_CHARS = 128;
  private static final String API = "/v1/payments/";
  private static final String PAY = "/pay/";

  private final String secret;
  private final Promise<String> url;
  private final Future<String> shopUrl;
  private final SandboxBooks books = new SandboxBooks();
  private CallbackSignature signature;
  private SandboxCallbacks callbacks;
  private HttpServer server;
  private String ownUrl;

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
    signature = new CallbackSignature(secret);
    callbacks = new SandboxCallbacks(vertx, signature, shopUrl);
    server =
        vertx
            .createHttpServer(
                new HttpServerOptions().setIdleTimeout(IDLE_S).setHttp2ClearTextEnabled(false))
            .requestHandler(this::route);
    return server
        .listen(0, HOST)
        .onSuccess(
            listening -> {
              ownUrl = "http://" + HOST + ":" + listening.actualPort();
              url.complete(ownUrl);
            });
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
    String signed = request.getHeader(CallbackSignature.HEADER);
    if (!signature.verify(body.getBytes(), signed, System.currentTimeMillis())) {
      answer(request, 401, new JsonObject().put("error", "bad signature"));
      return;
    }
    Optional<SandboxPayment.Terms> terms = termsOf(what, body);
    if (terms.isEmpty()) {
      answer(request, 400, new JsonObject().put("error", "bad request"));
      return;
    }
    switch (what) {
      case "start" -> open(request, terms.get());
      case "query" -> tell(request, terms.get());
      case "refund" -> giveBack(request, terms.get());
      default -> answer(request, 404, new JsonObject().put("error", "no such request"));
    }
  }

  /** Empty when the body is not of this request. */
  private static Optional<SandboxPayment.Terms> termsOf(String what, Buffer body) {
    try {
      JsonObject json = body.toJsonObject();
      SandboxPayment.Terms terms =
          new SandboxPayment.Terms(
              json.getString("paymentId"),
              json.getString("orderId"),
              json.getLong("amountMinor"),
              json.getString("currency"));
      boolean right =
          what.equals(json.getString("request"))
              && isText(terms.id())
              && isText(terms.orderId())
              && isText(terms.currency())
              && terms.amountMinor() >= 0;
      return right ? Optional.of(terms) : Optional.empty();
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      return Optional.empty();
    }
  }

  private static boolean isText(String text) {
    return text != null && text.matches("[A-Za-z0-9_-]{1," + MAX_TEXT_CHARS + "}");
  }

  private void open(HttpServerRequest request, SandboxPayment.Terms terms) {
    if (books.start(terms).isPresent()) {
      answer(request, 200, new JsonObject().put("redirectUrl", ownUrl + PAY + terms.id()));
    } else {
      conflict(request);
    }
  }

  private void tell(HttpServerRequest request, SandboxPayment.Terms terms) {
    answer(
        request,
        200,
        books
            .find(terms.id())
            .map(SandboxPayment::told)
            .orElseGet(() -> new JsonObject().put("status", "UNKNOWN")));
  }

  /** A sandbox that was started anew has forgotten what was paid; as no money moved, it obeys. */
  private void giveBack(HttpServerRequest request, SandboxPayment.Terms terms) {
    Optional<SandboxPayment> payment = books.find(terms.id());
    if (payment.isPresent()
        && (!payment.get().terms().equals(terms)
            || payment.get().status() != SandboxPayment.Status.PAID)) {
      conflict(request);
    } else if (payment.isPresent() && !payment.get().refund()) {
      answer(request, 503, new JsonObject().put("error", "refused, as the buyer wished"));
    } else {
      answer(request, 200, new JsonObject().put("refunded", true));
    }
  }

  private static void conflict(HttpServerRequest request) {
    answer(request, 409, new JsonObject().put("error", "the payment is another one"));
  }

  private static void answer(HttpServerRequest request, int status, JsonObject body) {
    request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .end(body.toBuffer());
  }

  private void show(HttpServerRequest request, String id) {
    Optional<SandboxPayment> payment = books.find(id);
    if (payment.isEmpty()) {
      page(request, 404, SandboxPage.saying("This payment is not known here."));
    } else {
      String shop = shopUrl.succeeded() ? shopUrl.result() : "";
      page(request, 200, SandboxPage.of(payment.get(), shop));
    }
  }

  private void decide(HttpServerRequest request, String id, Buffer body) {
    Optional<SandboxPayment> payment = books.find(id);
    if (payment.isEmpty()) {
      page(request, 404, SandboxPage.saying("This payment is not known here."));
      return;
    }
    try {
      SandboxWish wish = SandboxWish.of(formOf(body));
      if (payment.get().decide(wish)) {
        callbacks.tell(payment.get(), wish);
      }
      // A second click of an impatient buyer sees what the first one did.
      request.response().setStatusCode(303).putHeader(HttpHeaders.LOCATION, PAY + id).end();
    } catch (IllegalArgumentException e) {
      page(request, 400, SandboxPage.saying(e.getMessage()));
    }
  }

  private static Map<String, String> formOf(Buffer body) {
    Map<String, String> form = new HashMap<>();
    for (String field : body.toString(StandardCharsets.UTF_8).split("&", -1)) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        form.put(
            field.substring(0, equals),
            URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return form;
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

package io.seckill.launcher.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.payment.CallbackSignature;
import io.seckill.testkit.Await;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sandbox over HTTP, as a shop and as a buyer see it. */
class SandboxIT {

  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final String SECRET = "the-secret-of-shop-and-provider-0";
  private static final String ORDER = "01ABCDEFGHJKMNPQRSTVWXYZ01";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(BOUND).build();
  private final CallbackSignature signature = new CallbackSignature(SECRET);
  private final List<JsonObject> heard = new CopyOnWriteArrayList<>();
  private final AtomicInteger shopAway = new AtomicInteger();

  private Vertx vertx;
  private HttpServer shop;
  private Sandbox sandbox;

  @BeforeEach
  void open() throws Exception {
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setUseDaemonThread(true));
    CallbackSignature shopsOwn = new CallbackSignature(SECRET);
    shop =
        Await.result(
            BOUND,
            "the shop",
            vertx
                .createHttpServer()
                .requestHandler(
                    request -> request.body().onSuccess(body -> hear(shopsOwn, request, body)))
                .listen(0, "127.0.0.1"));
    sandbox = Await.result(BOUND, "the sandbox", Sandbox.start(vertx, SECRET));
  }

  private void hear(CallbackSignature shopsOwn, HttpServerRequest request, Buffer body) {
    boolean right =
        request.path().equals("/api/v1/payments/callback")
            && shopsOwn.verify(
                body.getBytes(),
                request.getHeader(CallbackSignature.HEADER),
                System.currentTimeMillis());
    if (shopAway.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      request.response().setStatusCode(503).end();
      return;
    }
    heard.add(body.toJsonObject().put("right", right));
    request.response().end("{}");
  }

  @AfterEach
  void close() throws Exception {
    Await.result(BOUND, "the end", vertx.close());
  }

  private String shopUrl() {
    return "http://127.0.0.1:" + shop.actualPort();
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.timeout(BOUND).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonObject question(String what, String payment) {
    return new JsonObject()
        .put("request", what)
        .put("paymentId", payment)
        .put("orderId", ORDER)
        .put("amountMinor", 1_205)
        .put("currency", "CNY");
  }

  private HttpResponse<String> ask(String path, JsonObject question) throws Exception {
    byte[] body = question.toBuffer().getBytes();
    return send(
        HttpRequest.newBuilder(URI.create(sandbox.url() + "/v1/payments/" + path))
            .header(CallbackSignature.HEADER, signature.sign(body, System.currentTimeMillis()))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
  }

  private JsonObject answer(String what, String payment) throws Exception {
    HttpResponse<String> response = ask(what, question(what, payment));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return new JsonObject(response.body());
  }

  private String started(String payment) throws Exception {
    return answer("start", payment).getString("redirectUrl");
  }

  private HttpResponse<String> get(String url) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(url)).GET());
  }

  private int decide(String url, String form) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)))
        .statusCode();
  }

  private void awaitHeard(int callbacks) throws InterruptedException {
    Await.until(BOUND, callbacks + " callbacks", () -> heard.size() >= callbacks);
  }

  @Test
  void pageShouldAskTheBuyerWithoutAnyScript() throws Exception {
    HttpResponse<String> page = get(started("p1"));

    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Security-Policy"))
        .contains(
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none';"
                + " frame-ancestors 'none'");
    assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(page.body())
        .contains("12.05 CNY", ORDER, "<button name=\"outcome\" value=\"pay\">")
        .doesNotContainIgnoringCase("<script")
        .doesNotContainPattern("(?i)\\s(style|on[a-z]+)=");
    assertThat(get(sandbox.url() + "/style.css").headers().firstValue("Content-Type"))
        .contains("text/css; charset=utf-8");
    assertThat(get(sandbox.url() + "/pay/another").statusCode()).isEqualTo(404);
    assertThat(get(sandbox.url() + "/").statusCode()).isEqualTo(404);
  }

  @Test
  void startShouldGiveTheSameAddressAgainAndRefuseOtherTerms() throws Exception {
    assertThat(started("p1")).isEqualTo(started("p1")).isEqualTo(sandbox.url() + "/pay/p1");
    assertThat(ask("start", question("start", "p1").put("amountMinor", 1)).statusCode())
        .isEqualTo(409);
  }

  @Test
  void apiShouldRefuseWhatIsNotSignedForThisRequest() throws Exception {
    started("p1");
    byte[] body = question("refund", "p1").toBuffer().getBytes();
    String late =
        signature.sign(
            body, System.currentTimeMillis() - 1_000 * (CallbackSignature.TOLERANCE_S + 5));

    for (String signed : List.of("", "t=1,v1=00", late)) {
      HttpResponse<String> response =
          send(
              HttpRequest.newBuilder(URI.create(sandbox.url() + "/v1/payments/refund"))
                  .header(CallbackSignature.HEADER, signed)
                  .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
      assertThat(response.statusCode()).as(signed).isEqualTo(401);
    }
    // What was signed for one request is none of another.
    assertThat(ask("refund", question("start", "p1")).statusCode()).isEqualTo(400);
    assertThat(ask("start", question("start", "a<b").put("x", 1)).statusCode()).isEqualTo(400);
    assertThat(ask("start", new JsonObject()).statusCode()).isEqualTo(400);
    assertThat(ask("steal", question("steal", "p1")).statusCode()).isEqualTo(404);
    assertThat(ask("start", question("start", "p".repeat(5_000))).statusCode()).isEqualTo(413);
  }

  @Test
  void payShouldTellTheShopOnceItIsKnown() throws Exception {
    String page = started("p1");
    assertThat(decide(page, "outcome=pay")).isEqualTo(303);
    assertThat(answer("query", "p1").getString("status")).isEqualTo("PAID");

    sandbox.serves(shopUrl());
    awaitHeard(1);

    assertThat(heard.get(0))
        .isEqualTo(
            new JsonObject()
                .put("paymentId", "p1")
                .put("orderId", ORDER)
                .put("status", "PAID")
                .put("amountMinor", 1_205)
                .put("currency", "CNY")
                .put("providerRef", "sandbox-p1")
                .put("right", true));
    // Decided is decided.
    assertThat(decide(page, "outcome=fail")).isEqualTo(303);
    assertThat(get(page).body())
        .contains("<dd>paid</dd>", "<a href=\"" + shopUrl() + "/\">")
        .doesNotContain("<form");
    assertThat(answer("query", "p1").getString("status")).isEqualTo("PAID");
  }

  @Test
  void callbacksShouldBeAsBadAsTheBuyerWished() throws Exception {
    sandbox.serves(shopUrl());
    shopAway.set(1);
    decide(started("silent"), "outcome=pay&copies=0");
    decide(started("loud"), "outcome=fail&copies=3&delayMs=50");
    awaitHeard(3);
    decide(started("wrong"), "outcome=pay&wrongAmount=1");
    awaitHeard(4);

    assertThat(heard).extracting(told -> told.getBoolean("right")).containsOnly(true);
    assertThat(heard.subList(0, 3))
        .extracting(told -> told.getString("paymentId") + told.getString("status"))
        .containsOnly("loudFAILED");
    assertThat(heard.get(3).getLong("amountMinor")).isEqualTo(1_206);
    assertThat(answer("query", "wrong").getLong("amountMinor")).isEqualTo(1_206);
    assertThat(answer("query", "silent").getString("status")).isEqualTo("PAID");
    assertThat(answer("query", "nobodys").getString("status")).isEqualTo("UNKNOWN");
  }

  @Test
  void refundShouldBeDoneOnceItIsNotRefused() throws Exception {
    sandbox.serves(shopUrl());
    String page = started("p1");
    assertThat(ask("refund", question("refund", "p1")).statusCode()).isEqualTo(409);
    decide(page, "outcome=pay&refundRefusals=2");

    assertThat(ask("refund", question("refund", "p1").put("amountMinor", 1)).statusCode())
        .isEqualTo(409);
    assertThat(ask("refund", question("refund", "p1")).statusCode()).isEqualTo(503);
    assertThat(ask("refund", question("refund", "p1")).statusCode()).isEqualTo(503);
    assertThat(answer("refund", "p1").getBoolean("refunded")).isTrue();
    assertThat(answer("refund", "p1").getBoolean("refunded")).isTrue();
    assertThat(get(page).body()).contains("paid, refunded");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "outcome=steal",
        "outcome=pay&copies=11",
        "outcome=pay&delayMs=-1",
        "outcome=pay&delayMs=99999999999999999999",
        "outcome=%ZZ"
      })
  void decideShouldRefuseWhatThePageDoesNotOffer(String form) throws Exception {
    String page = started("p1");
    assertThat(decide(page, form)).isEqualTo(400);
    assertThat(answer("query", "p1").getString("status")).isEqualTo("OPEN");
  }
}

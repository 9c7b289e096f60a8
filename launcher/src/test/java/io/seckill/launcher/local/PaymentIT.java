package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.UserId;
import io.seckill.launcher.Web;
import io.seckill.launcher.command.AdminClient;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlServer;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A buyer pays at the sandbox, over HTTP from end to end; and all that can go wrong there. */
class PaymentIT {

  private static final Duration BOUND = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private static TestShop shop;
  private static MySqlAddress mysql;
  private static LocalStack stack;
  private static AdminClient admin;
  private static long nextItem = 1;

  private final Web web = new Web();
  private final HttpClient browser = HttpClient.newBuilder().connectTimeout(BOUND).build();

  @BeforeAll
  static void start() {
    shop =
        TestShop.start(
            folder,
            Map.of(
                "redis.shards",
                "2",
                "payment.reconcileAfterMs",
                "500",
                "payment.refundIntervalMs",
                "50"));
    stack = shop.stack();
    admin = shop.admin();
    mysql = shop.mysql();
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @AfterEach
  void theAuditShouldBeClean() throws Exception {
    shop.auditShouldBeClean(BOUND);
  }

  private static String onSale(long stock) throws Exception {
    String item = Long.toString(nextItem++);
    admin.post(
        "/api/v1/admin/items",
        new JsonObject()
            .put("itemId", item)
            .put("name", "Thing " + item)
            .put("priceMinor", 1_250)
            .put("currency", "CNY")
            .put("limitPerUser", 1)
            .put("startsAt", "2020-01-01T00:00:00Z")
            .put("endsAt", "2120-01-01T00:00:00Z")
            .put("stock", stock));
    admin.post("/api/v1/admin/items/" + item + "/preheat", new JsonObject());
    return item;
  }

  private static String url(String path) {
    return stack.runInfo().publicUrl() + "/api/v1/" + path;
  }

  private static String token(String user) {
    return stack.tokens().sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }

  private String bought(String user, String item) throws Exception {
    Web.Answer answer = Web.patiently(BOUND, () -> buy(user, item));
    assertThat(answer.status()).as(answer.body()).isIn(200, 202);
    return answer.json().getString("orderId");
  }

  private Web.Answer buy(String user, String item) throws Exception {
    return web.buy(stack.runInfo().publicUrl(), token(user), item, "k-" + item);
  }

  /** Comes again until a unit that somebody held is back. */
  private String boughtNext(String user, String item) throws Exception {
    Await.until(BOUND, "the unit is back", () -> buy(user, item).status() < 400);
    return bought(user, item);
  }

  /** Where to pay, once the order is stored. */
  private JsonObject started(String user, String order) throws Exception {
    Web.Answer answer =
        Web.patiently(
            BOUND, () -> web.post(url("orders/" + order + "/payment"), token(user), "p", ""));
    assertThat(answer.status()).as(answer.body()).isIn(200, 201);
    return answer.json();
  }

  private void decide(JsonObject payment, String form) throws Exception {
    HttpResponse<String> page =
        browser.send(
            HttpRequest.newBuilder(URI.create(payment.getString("redirectUrl")))
                .timeout(BOUND)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(page.statusCode()).as(page.body()).isEqualTo(303);
  }

  private JsonObject order(String user, String order) throws Exception {
    return web.get(url("orders/" + order), token(user)).json();
  }

  private void awaitStatus(String user, String order, String status) throws Exception {
    Await.until(
        BOUND,
        "the order is " + status,
        () -> order(user, order).getString("status").equals(status));
  }

  private double repeatedNotices() throws Exception {
    return web.metric(
        stack.runInfo().managementUrl(), "seckill_payment_notices_total{outcome=\"repeated\"}");
  }

  private static long number(String sql) {
    return SqlServer.number(mysql, sql);
  }

  private static void awaitNumber(String what, String sql, long wanted) throws Exception {
    Await.until(BOUND, what, () -> number(sql) == wanted);
  }

  private static String of(JsonObject payment) {
    return " FROM refunds WHERE payment_id = '" + payment.getString("paymentId") + "'";
  }

  @Test
  void aBuyerShouldPayOnceHoweverOftenHeIsTold() throws Exception {
    String order = bought("ann", onSale(1));
    JsonObject payment = started("ann", order);
    assertThat(payment.getLong("amountMinor")).isEqualTo(1_250);
    assertThat(started("ann", order).getString("paymentId"))
        .isEqualTo(payment.getString("paymentId"));

    double before = repeatedNotices();
    decide(payment, "outcome=pay&copies=5");

    awaitStatus("ann", order, "PAID");
    Await.until(BOUND, "all five are taken", () -> repeatedNotices() >= before + 4);
    assertThat(order("ann", order).getString("status")).isEqualTo("PAID");
    Web.Answer again = web.post(url("orders/" + order + "/payment"), token("ann"), "p", "");
    assertThat(again.status()).isEqualTo(409);
    assertThat(number("SELECT COUNT(*)" + of(payment))).isZero();
  }

  @Test
  void aPaymentShouldBeFoundWhenItsCallbackGotLostOrToldAWrongAmount() throws Exception {
    String item = onSale(2);
    String lost = bought("bob", item);
    decide(started("bob", lost), "outcome=pay&copies=0");
    String wrong = bought("eve", item);
    JsonObject payment = started("eve", wrong);
    decide(payment, "outcome=pay&wrongAmount=1");

    awaitStatus("bob", lost, "PAID");
    awaitNumber(
        "the mismatch is there to see",
        "SELECT COUNT(*) FROM payments WHERE state = 'MISMATCH' AND told_minor = 1251"
            + " AND payment_id = '"
            + payment.getString("paymentId")
            + "'",
        1);
    assertThat(order("eve", wrong).getString("status")).isEqualTo("PENDING_PAYMENT");
  }

  @Test
  void OL_05_aLatePaymentShouldGoBackAndTheUnitToTheNextBuyer() throws Exception {
    String item = onSale(1);
    String order = bought("gil", item);
    JsonObject payment = started("gil", order);
    assertThat(delete(order, "gil").statusCode()).isEqualTo(200);
    String next = boughtNext("hal", item);

    decide(payment, "outcome=pay&refundRefusals=1");
    decide(started("hal", next), "outcome=pay");

    awaitStatus("hal", next, "PAID");
    awaitNumber("the money is back", "SELECT COUNT(*)" + of(payment) + " AND state = 'DONE'", 1);
    assertThat(order("gil", order).getString("status")).isEqualTo("CANCELLED");
  }

  @Test
  void anOperatorShouldGiveThePaidMoneyAndTheUnitBack() throws Exception {
    String item = onSale(1);
    String order = bought("ivy", item);
    decide(started("ivy", order), "outcome=pay");
    awaitStatus("ivy", order, "PAID");

    admin.post("/api/v1/admin/orders/" + order + "/refund", new JsonObject());

    awaitStatus("ivy", order, "REFUNDED");
    boughtNext("joe", item);
  }

  private HttpResponse<String> delete(String order, String user) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(URI.create(url("orders/" + order)))
            .timeout(BOUND)
            .header("Authorization", "Bearer " + token(user))
            .DELETE()
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}

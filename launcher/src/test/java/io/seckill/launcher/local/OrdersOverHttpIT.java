package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.UserId;
import io.seckill.launcher.Web;
import io.seckill.launcher.command.AdminClient;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of orders after they are won, over HTTP alone and with the sandbox provider. */
class OrdersOverHttpIT {

  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final long LONG_MS = 900_000;
  private static final long SHORT_MS = 1_000;

  @TempDir private static Path folder;

  private static TestShop shop;
  private static MySqlAddress mysql;
  private static LocalStack stack;
  private static AdminClient admin;
  private static long nextItem = 1;

  private final Web web = new Web();

  @BeforeAll
  static void start() {
    shop = TestShop.start(folder, Map.of("redis.shards", "2", "admission.userPerWindow", "32"));
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

  @Test
  void OL_08_whoCancelsShouldBeAbleToBuyAgain() throws Exception {
    String item = onSale(1, LONG_MS);
    String first = won("ann", item, "k1");
    refused(409, "SOLD_OUT", buy("bob", item, "k"));
    refused(404, "NOT_FOUND", web.delete(order(first), token("bob")));

    for (int i = 0; i < 2; i++) {
      JsonObject cancelled = ok(patiently(() -> web.delete(order(first), token("ann"))));
      assertThat(cancelled.getString("status")).isEqualTo("CANCELLED");
      assertThat(cancelled.getString("reason")).isEqualTo("user");
    }
    String second = wonInTheEnd("ann", item, "k2");
    assertThat(second).isNotEqualTo(first);
    assertThat(ok(buy("ann", item, "k1")).getString("orderId")).as("a replay").isEqualTo(first);
    refused(409, "CONFLICT", web.post(order(first) + "/payment", token("ann")));
    assertThat(status("ann", first)).isEqualTo("CANCELLED");
    assertThat(held(item)).isEqualTo(1);
  }

  @Test
  void whatIsNotPaidInTimeShouldBeSoldToSomebodyElse() throws Exception {
    String item = onSale(1, SHORT_MS);
    String first = won("cat", item, "k");
    String second = wonInTheEnd("dan", item, "k");
    JsonObject lapsed = ok(web.get(order(first), token("cat")));
    assertThat(lapsed.getString("status")).isEqualTo("CANCELLED");
    assertThat(lapsed.getString("reason")).isEqualTo("timeout");
    assertThat(ok(patiently(() -> web.delete(order(first), token("cat")))).getString("reason"))
        .as("he wanted it gone")
        .isEqualTo("timeout");
    awaitStatus("dan", second, "CANCELLED");
    Await.until(BOUND, "the unit is free again", () -> held(item) == 0);
  }

  @Test
  void whatIsPaidShouldStayPaidUntilItIsRefunded() throws Exception {
    String item = onSale(1, LONG_MS);
    String order = won("eve", item, "k");
    JsonObject payment = startPayment("eve", order);
    assertThat(payment.getLong("amountMinor")).isEqualTo(100);
    assertThat(payment.getString("currency")).isEqualTo("CNY");
    assertThat(startPayment("eve", order)).as("the same again").isEqualTo(payment);
    refused(404, "NOT_FOUND", web.post(order(order) + "/payment", token("bob")));

    // Told five times, and pressed twice.
    double before = repeatedNotices();
    press(payment, "outcome=pay&copies=5");
    press(payment, "outcome=pay");
    awaitStatus("eve", order, "PAID");
    Await.until(BOUND, "all five are taken", () -> repeatedNotices() >= before + 4);
    assertThat(status("eve", order)).isEqualTo("PAID");
    refused(409, "CONFLICT", web.post(order(order) + "/payment", token("eve")));
    refused(409, "CONFLICT", patiently(() -> web.delete(order(order), token("eve"))));
    assertThat(held(item)).isEqualTo(1);

    String path = "/api/v1/admin/orders/" + order;
    assertThat(admin.get(path).getString("status")).isEqualTo("PAID");
    assertThat(admin.post(path + "/refund", new JsonObject()).getString("status"))
        .isIn("REFUND_PENDING", "REFUNDED");
    awaitStatus("eve", order, "REFUNDED");
    assertThat(admin.post(path + "/refund", new JsonObject()).getString("status"))
        .isEqualTo("REFUNDED");
    assertThat(web.get(payment.getString("redirectUrl"), "").body()).contains("refunded");
    wonInTheEnd("fay", item, "k");
  }

  @Test
  void OL_05_whatIsPaidTooLateShouldBeRefundedAndStayCancelled() throws Exception {
    String item = onSale(1, LONG_MS);
    String order = won("gus", item, "k");
    JsonObject payment = startPayment("gus", order);
    endTimeToPay("gus");
    awaitStatus("gus", order, "CANCELLED");
    String next = wonInTheEnd("hal", item, "k");

    double before = repeatedNotices();
    press(payment, "outcome=pay&copies=2&refundRefusals=1");
    Await.until(BOUND, "both are taken", () -> repeatedNotices() >= before + 1);
    Await.until(
        BOUND,
        "the money is back",
        () -> web.get(payment.getString("redirectUrl"), "").body().contains("refunded"));
    assertThat(status("gus", order)).isEqualTo("CANCELLED");
    assertThat(next).isNotEqualTo(order);
  }

  @Test
  void OL_05_aWrongAmountShouldNeverCountAsPaid() throws Exception {
    String item = onSale(1, LONG_MS);
    String order = won("ida", item, "k");
    JsonObject payment = startPayment("ida", order);
    press(payment, "outcome=pay&wrongAmount=1");
    String mismatch =
        "SELECT COUNT(*) FROM payments WHERE state = 'MISMATCH' AND payment_id = '"
            + payment.getString("paymentId")
            + "'";
    Await.until(BOUND, "the mismatch is seen", () -> SqlServer.number(mysql, mismatch) == 1);
    assertThat(status("ida", order)).isEqualTo("PENDING_PAYMENT");
    endTimeToPay("ida");
    awaitStatus("ida", order, "CANCELLED");
  }

  @Test
  void anOperatorShouldCancelForABuyer() throws Exception {
    String item = onSale(1, LONG_MS);
    String order = won("jon", item, "k");
    JsonObject cancelled =
        admin.post("/api/v1/admin/orders/" + order + "/cancel", new JsonObject());
    assertThat(cancelled.getString("status")).isEqualTo("CANCELLED");
    assertThat(ok(web.get(order(order), token("jon"))).getString("reason")).isEqualTo("admin");
    wonInTheEnd("kim", item, "k");
  }

  // ---- helpers ----

  private static String onSale(long stock, long payWithinMs) throws InterruptedException {
    String item = Long.toString(nextItem++);
    admin.post(
        "/api/v1/admin/items",
        new JsonObject()
            .put("itemId", item)
            .put("name", "Thing " + item)
            .put("priceMinor", 100)
            .put("currency", "CNY")
            .put("limitPerUser", 1)
            .put("payWithinMs", payWithinMs)
            .put("startsAt", "2020-01-01T00:00:00Z")
            .put("endsAt", "2120-01-01T00:00:00Z")
            .put("stock", stock));
    admin.post("/api/v1/admin/items/" + item + "/preheat", new JsonObject());
    return item;
  }

  private Web.Answer buy(String user, String item, String key) throws Exception {
    return patiently(() -> web.buy(publicUrl(), token(user), item, key));
  }

  private String won(String user, String item, String key) throws Exception {
    return ok(buy(user, item, key)).getString("orderId");
  }

  /** Comes again until a unit is back. */
  private String wonInTheEnd(String user, String item, String key) throws Exception {
    Web.Answer[] last = {null};
    Await.until(
        BOUND,
        user + " gets a unit of item " + item,
        () -> {
          last[0] = buy(user, item, key);
          return last[0].status() < 300;
        });
    return last[0].json().getString("orderId");
  }

  /** As soon as the order is stored. */
  private JsonObject startPayment(String user, String order) throws Exception {
    return ok(patiently(() -> web.post(order(order) + "/payment", token(user))));
  }

  private void press(JsonObject payment, String fields) throws Exception {
    Web.Answer answer = web.form(payment.getString("redirectUrl"), fields);
    assertThat(answer.status()).as(answer.body()).isEqualTo(303);
  }

  /** Of a user's orders, which are stored. */
  private static void endTimeToPay(String user) {
    SqlServer.query(mysql, "UPDATE orders SET pay_by_ms = 1 WHERE user_id = '" + user + "'");
  }

  private double repeatedNotices() throws Exception {
    return web.metric(
        stack.runInfo().managementUrl(), "seckill_payment_notices_total{outcome=\"repeated\"}");
  }

  private String status(String user, String order) throws Exception {
    return ok(patiently(() -> web.get(order(order), token(user)))).getString("status");
  }

  private void awaitStatus(String user, String order, String status) throws Exception {
    Await.until(
        BOUND, "order " + order + " is " + status, () -> status(user, order).equals(status));
  }

  private static Web.Answer patiently(Callable<Web.Answer> call) throws InterruptedException {
    return Web.patiently(BOUND, call);
  }

  private static JsonObject ok(Web.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
    return answer.json();
  }

  private static void refused(int status, String code, Web.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.json().getString("code")).isEqualTo(code);
  }

  /** Units held by orders once all of them are stored. */
  private static long held(String item) throws InterruptedException {
    JsonObject report =
        admin.post(
            "/api/v1/admin/audit",
            new JsonObject().put("itemId", item).put("waitMs", BOUND.toMillis()));
    return report.getJsonArray("items").stream()
        .map(JsonObject.class::cast)
        .flatMapToLong(totals -> LongStream.of(totals.getLong("held")))
        .sum();
  }

  private static String order(String id) {
    return publicUrl() + "/api/v1/orders/" + id;
  }

  private static String publicUrl() {
    return stack.runInfo().publicUrl();
  }

  private static String token(String user) {
    return stack.tokens().sign(UserId.of(user), Set.of(), Duration.ofHours(1)).text();
  }
}

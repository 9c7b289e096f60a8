package io.seckill.gateway;

import static io.seckill.gateway.GatewayIT.problem;
import static io.seckill.gateway.RunningGateway.ORDER;
import static io.seckill.gateway.RunningGateway.get;
import static io.seckill.gateway.RunningGateway.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.seckill.common.bus.OrderCancel;
import io.seckill.common.bus.OrderRefund;
import io.seckill.common.bus.PaymentNotice;
import io.seckill.common.bus.PaymentStart;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.config.Secret;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.UserId;
import io.seckill.common.payment.CallbackSignature;
import io.seckill.gateway.RawHttp.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What buyers, operators and the payment provider do to orders, over real sockets. */
class OrderRoutesIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MINE = "/api/v1/orders/" + ORDER;
  private static final String PAYMENT = MINE + "/payment";
  private static final String CALLBACK = "/api/v1/payments/callback";
  private static final String JSON_TYPE = "Content-Type: application/json\r\n";
  private static final String NOTICE =
      "{\"paymentId\":\"pay-1\",\"orderId\":\""
          + ORDER
          + "\",\"status\":\"PAID\",\"amountMinor\":199900,\"currency\":\"CNY\","
          + "\"providerRef\":\"ref-9\"}";

  private static RunningGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    gateway = RunningGateway.start();
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @BeforeEach
  void reset() {
    gateway.changes().clear();
    gateway.refuseOrders(null);
  }

  // ---- buyers ----

  @Test
  void cancelShouldAnswerTheOrderAndTheSameAgain() throws Exception {
    for (int i = 0; i < 2; i++) {
      Response response = call(delete(MINE, bearer("ann")));
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("cache-control")).isEqualTo("no-store");
      JsonNode order = JSON.readTree(response.body());
      assertThat(order.path("orderId").asText()).isEqualTo(ORDER.value());
      assertThat(order.path("status").asText()).isEqualTo("CANCELLED");
      assertThat(order.path("reason").asText()).isEqualTo("user");
      assertThat(gateway.changes().remove())
          .isEqualTo(OrderCancel.byUser(new UserId("ann"), ORDER));
    }
  }

  @Test
  void paymentShouldBeOpenedOnceAndTheSameAgain() throws Exception {
    Response first = call(post(PAYMENT, bearer("ann"), ""));
    assertThat(first.status()).isEqualTo(201);
    Response again = call(post(PAYMENT, bearer("ann") + JSON_TYPE, "{}"));
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body())
        .isEqualTo(first.body())
        .isEqualTo(
            "{\"paymentId\":\"pay-1\",\"redirectUrl\":\"http://127.0.0.1:8082/pay-1\","
                + "\"amountMinor\":199900,\"currency\":\"CNY\","
                + "\"payBy\":\"2023-11-14T22:28:20Z\"}");
    assertThat(gateway.changes()).containsOnly(new PaymentStart(new UserId("ann"), ORDER));
  }

  @Test
  void AU_04_anotherUsersOrderShouldNotBeThere() throws Exception {
    problem(call(delete(MINE, bearer("bob"))), ErrorCode.NOT_FOUND);
    problem(call(post(PAYMENT, bearer("bob"), "")), ErrorCode.NOT_FOUND);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "01234567890123456789ABCDE",
        "01234567890123456789ABCDEFG",
        "01234567890123456789ABCDE%46",
        "01234567890123456789ABCDEU",
        "..",
        "%00",
        "\u00e9"
      })
  void whatCannotBeAnOrderIdShouldNotBeThere(String id) throws Exception {
    problem(call(delete("/api/v1/orders/" + id, bearer("ann"))), ErrorCode.NOT_FOUND);
    problem(
        call(post("/api/v1/orders/" + id + "/payment", bearer("ann"), "")), ErrorCode.NOT_FOUND);
    problem(admin(id + "/cancel"), ErrorCode.NOT_FOUND);
    problem(admin(id + "/refund"), ErrorCode.NOT_FOUND);
    assertThat(gateway.changes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Authorization: Bearer x\r\n", "Authorization: Basic YTpi\r\n"})
  void AU_02_withoutAGoodTokenNothingShouldBeChanged(String headers) throws Exception {
    problem(call(delete(MINE, headers)), ErrorCode.UNAUTHENTICATED);
    problem(call(post(PAYMENT, headers, "")), ErrorCode.UNAUTHENTICATED);
    assertThat(gateway.changes()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"CONFLICT", "BUSY", "UNAVAILABLE", "OUTCOME_UNKNOWN"})
  void refusalsShouldBeProblems(ErrorCode code) throws Exception {
    gateway.refuseOrders(code);
    problem(call(delete(MINE, bearer("ann"))), code);
    problem(call(post(PAYMENT, bearer("ann"), "")), code);
    problem(admin(ORDER + "/cancel"), code);
    problem(admin(ORDER + "/refund"), code);
    problem(call(signed(NOTICE)), code);
  }

  @Test
  void otherMethodsShouldBeRefusedAndNamed() throws Exception {
    Response response = call(post(MINE, bearer("ann"), ""));
    problem(response, ErrorCode.METHOD_NOT_ALLOWED);
    assertThat(response.header("allow")).isEqualTo("DELETE, GET, HEAD, OPTIONS");
    problem(call(get(PAYMENT, bearer("ann"))), ErrorCode.METHOD_NOT_ALLOWED);
    problem(call(get(CALLBACK, "")), ErrorCode.METHOD_NOT_ALLOWED);
  }

  @Test
  void corsShouldAllowACancelFromAConfiguredOrigin() throws Exception {
    String preflight =
        "OPTIONS "
            + MINE
            + " HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: DELETE\r\nOrigin: ";
    Response yes = call(preflight + "https://shop.example\r\n\r\n");
    assertThat(yes.status()).isEqualTo(204);
    assertThat(yes.header("access-control-allow-methods")).contains("DELETE");
    Response no = call(preflight + "https://evil.example\r\n\r\n");
    assertThat(no.header("access-control-allow-methods")).isNull();
  }

  @Test
  void withoutAConsumerItShouldBeUnavailable() throws Exception {
    SeckillConfig config =
        TestConfigs.all(TestConfigs.jwt(), TestConfigs.gateway(), TestConfigs.admission());
    try (RunningGateway alone = new RunningGateway(config, false)) {
      String delete = delete(MINE, "Authorization: Bearer " + alone.token("ann") + "\r\n");
      problem(RawHttp.once(alone.publicPort(), delete), ErrorCode.UNAVAILABLE);
      problem(RawHttp.once(alone.publicPort(), signed(NOTICE)), ErrorCode.UNAVAILABLE);
    }
  }

  // ---- operators ----

  @Test
  void operatorsShouldSeeCancelAndRefundAnyOrder() throws Exception {
    Response shown = RawHttp.once(gateway.adminPort(), get(adminPath(ORDER.value()), operator()));
    assertThat(shown.status()).isEqualTo(200);
    assertThat(JSON.readTree(shown.body()).path("status").asText()).isEqualTo("ACCEPTED");
    assertThat(shown.header("retry-after")).isEqualTo("1");

    Response cancelled = admin(ORDER + "/cancel");
    assertThat(cancelled.status()).isEqualTo(200);
    assertThat(JSON.readTree(cancelled.body()).path("status").asText()).isEqualTo("CANCELLED");
    Response refunded = admin(ORDER + "/refund");
    assertThat(JSON.readTree(refunded.body()).path("status").asText()).isEqualTo("REFUND_PENDING");
    assertThat(gateway.changes())
        .containsExactly(OrderCancel.byAdmin(ORDER, "olga"), new OrderRefund(ORDER, "olga"));
  }

  @Test
  void AU_05_operatorsRoutesShouldWantTheRoleAndTheirPort() throws Exception {
    String path = adminPath(ORDER.value());
    problem(RawHttp.once(gateway.adminPort(), get(path, "")), ErrorCode.UNAUTHENTICATED);
    problem(RawHttp.once(gateway.adminPort(), get(path, bearer("ann"))), ErrorCode.FORBIDDEN);
    problem(call(get(path, operator())), ErrorCode.NOT_FOUND);
    problem(call(post(path + "/cancel", operator(), "")), ErrorCode.NOT_FOUND);
    problem(RawHttp.once(gateway.adminPort(), delete(MINE, operator())), ErrorCode.NOT_FOUND);
    assertThat(gateway.changes()).isEmpty();
  }

  // ---- the provider ----

  @Test
  void aSignedCallbackShouldReachTheConsumerEachTime() throws Exception {
    for (int i = 0; i < 2; i++) {
      Response response = call(signed(NOTICE));
      assertThat(response.status()).as(response.body()).isEqualTo(200);
      assertThat(gateway.changes().remove())
          .isEqualTo(
              new PaymentNotice(
                  "pay-1", ORDER, PaymentNotice.Status.PAID, 199_900, "CNY", "ref-9"));
    }
    call(signed(with("status", "FAILED", "providerRef", null)));
    assertThat(gateway.changes().remove())
        .isEqualTo(
            new PaymentNotice("pay-1", ORDER, PaymentNotice.Status.FAILED, 199_900, "CNY", ""));
  }

  static Stream<String> badSignatures() {
    CallbackSignature ours = signature();
    long now = System.currentTimeMillis();
    String good = ours.sign(bytes(NOTICE), now);
    String old = ours.sign(bytes(NOTICE), now - 301_000);
    String ahead = ours.sign(bytes(NOTICE), now + 3_600_000);
    String others =
        new CallbackSignature(TestConfigs.PAYMENT_SECRET + "x").sign(bytes(NOTICE), now);
    String otherBody = ours.sign(bytes(NOTICE + " "), now);
    return Stream.of(
        "",
        header(""),
        header("v1=" + "0".repeat(64)),
        header(good.substring(0, good.length() - 1)),
        header(good + "0"),
        header(good.replace("v1=", "v2=")),
        header("t=99999999999999999999,v1=" + "0".repeat(64)),
        header(good) + header(good),
        header(good + "," + good),
        header(old),
        header(ahead),
        header(others),
        header(otherBody));
  }

  @ParameterizedTest
  @MethodSource("badSignatures")
  void AU_02_withoutAGoodSignatureNothingShouldBePaid(String headers) throws Exception {
    Response response = call(post(CALLBACK, JSON_TYPE + headers, NOTICE));
    problem(response, ErrorCode.UNAUTHENTICATED);
    assertThat(response.body()).doesNotContain("Exception");
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void AU_02_aTokenShouldNotStandInForASignature() throws Exception {
    problem(call(post(CALLBACK, JSON_TYPE + operator(), NOTICE)), ErrorCode.UNAUTHENTICATED);
    problem(call(post(CALLBACK, JSON_TYPE, "no json")), ErrorCode.UNAUTHENTICATED);
    problem(call(post(CALLBACK, "", "")), ErrorCode.UNAUTHENTICATED);
    assertThat(gateway.changes()).isEmpty();
  }

  static List<String> badNotices() throws IOException {
    return List.of(
        "",
        "null",
        "[]",
        "{}",
        NOTICE + " {}",
        NOTICE.replace("}", ",\"status\":\"PAID\"}"),
        with("more", "x"),
        with("paymentId", null),
        with("paymentId", ""),
        with("paymentId", "p".repeat(65)),
        with("paymentId", "a b"),
        with("paymentId", 7),
        with("orderId", null),
        with("orderId", "1"),
        with("orderId", "x".repeat(5_00)),
        with("status", null),
        with("status", "paid"),
        with("status", 1),
        with("amountMinor", null),
        with("amountMinor", -1),
        with("amountMinor", 1.0),
        with("amountMinor", "199900"),
        NOTICE.replace("199900", "99999999999999999999"),
        with("currency", null),
        with("currency", "cny"),
        with("currency", "CNYX"),
        with("providerRef", "r".repeat(129)),
        with("providerRef", 3));
  }

  @ParameterizedTest
  @MethodSource("badNotices")
  void IN_02_aSignedBodyThatIsNoNoticeShouldBeRefused(String body) throws Exception {
    Response response = call(signed(body));
    problem(response, ErrorCode.INVALID_REQUEST);
    assertThat(response.body()).doesNotContain("Exception").doesNotContain("jackson");
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void aNoticeOfAnUnknownOrderShouldNotBeFound() throws Exception {
    problem(call(signed(with("orderId", "01234567890123456789ABCDEG"))), ErrorCode.NOT_FOUND);
  }

  @Test
  void IN_04_aLongCallbackShouldBe413AndClose() throws Exception {
    String body = "{\"providerRef\":\"" + "r".repeat(5_000) + "\"}";
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send(signed(body));
      problem(http.read(), ErrorCode.PAYLOAD_TOO_LARGE);
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  @Test
  void RL_04_aProviderShouldHaveARateOfItsOwnAndAWideOne() throws Exception {
    try (RunningGateway narrow =
            RunningGateway.start(TestConfigs.gateway(), TestConfigs.admission(1, 10));
        RawHttp http = RawHttp.connect(narrow.publicPort())) {
      Response last = http.send(get("/api/v1/items", "")).read();
      for (int more = 0; last.status() != 429 && more < 1_000; more++) {
        last = http.send(get("/api/v1/items", "")).read();
      }
      problem(last, ErrorCode.RATE_LIMITED);

      // Faster than tokens come, also on a slow machine: without waiting for the answers.
      int burst = 500;
      http.send(signed(NOTICE).repeat(burst));
      int passed = 0;
      last = http.read();
      while (last.status() == 200 && passed < burst - 1) {
        passed++;
        last = http.read();
      }
      problem(last, ErrorCode.RATE_LIMITED);
      assertThat(last.header("ratelimit-policy")).startsWith("\"ip\";q=100;");
      assertThat(passed).isGreaterThanOrEqualTo(100);
    }
  }

  @Test
  void withoutAProviderThereShouldBeNoCallback() throws Exception {
    SeckillConfig config =
        TestConfigs.all(TestConfigs.jwt(), TestConfigs.gateway(), TestConfigs.admission());
    SeckillConfig.Payment nobody =
        new SeckillConfig.Payment(
            SeckillConfig.Provider.NONE, new Secret(""), "", 2_000, 60_000, 1_000);
    SeckillConfig without =
        new SeckillConfig(
            config.node(),
            config.redis(),
            config.mysql(),
            config.jwt(),
            config.orderId(),
            config.gateway(),
            config.admission(),
            config.engine(),
            config.consumer(),
            config.orders(),
            nobody,
            config.notification(),
            config.management(),
            config.bus());
    try (RunningGateway free = new RunningGateway(without, true)) {
      problem(RawHttp.once(free.publicPort(), signed(NOTICE)), ErrorCode.NOT_FOUND);
    }
  }

  // ---- helpers ----

  private static Response call(String request) throws IOException {
    return RawHttp.once(gateway.publicPort(), request);
  }

  private static Response admin(String rest) throws IOException {
    return RawHttp.once(gateway.adminPort(), post(adminPath(rest), operator(), ""));
  }

  private static String adminPath(String rest) {
    return "/api/v1/admin/orders/" + rest;
  }

  private static String delete(String path, String headers) {
    return "DELETE " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
  }

  private static String bearer(String user) {
    return "Authorization: Bearer " + gateway.token(user) + "\r\n";
  }

  private static String operator() {
    return "Authorization: Bearer " + gateway.adminToken() + "\r\n";
  }

  private static String signed(String body) {
    String value = signature().sign(bytes(body), System.currentTimeMillis());
    return post(CALLBACK, JSON_TYPE + header(value), body);
  }

  private static String header(String value) {
    return CallbackSignature.HEADER + ": " + value + "\r\n";
  }

  private static CallbackSignature signature() {
    return new CallbackSignature(TestConfigs.PAYMENT_SECRET);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The good notice with some fields changed, or left out where the value is null. */
  private static String with(Object... changes) throws IOException {
    ObjectNode notice = (ObjectNode) JSON.readTree(NOTICE);
    for (int i = 0; i < changes.length; i += 2) {
      String field = (String) changes[i];
      if (changes[i + 1] == null) {
        notice.remove(field);
      } else {
        notice.set(field, JSON.valueToTree(changes[i + 1]));
      }
    }
    return notice.toString();
  }
}

package io.seckill.gateway;

import static io.seckill.gateway.RunningGateway.ORDER;
import static io.seckill.gateway.RunningGateway.get;
import static io.seckill.gateway.RunningGateway.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.seckill.common.bus.ItemChange;
import io.seckill.common.bus.ItemCreate;
import io.seckill.common.bus.PurchaseReply;
import io.seckill.common.bus.SalesChange;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.IdempotencyKey;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.item.ItemGroup;
import io.seckill.common.item.ItemRecord;
import io.seckill.gateway.RawHttp.Response;
import io.seckill.gateway.board.Boards;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway over real sockets and a real bus; only the peers behind the bus are ours. */
class GatewayIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static RunningGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    gateway = RunningGateway.start();
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
  }

  @BeforeEach
  void reset() {
    gateway.purchases().clear();
    gateway.changes().clear();
    gateway.engine(request -> PurchaseReply.accepted(ORDER, 41));
  }

  // ---- buying ----

  @Test
  void purchaseShouldAnswer202WithOrderAndLocation() throws Exception {
    Response response =
        call(gateway.purchase("ann", "Idempotency-Key: k1\r\n", "{\"quantity\":2}"));
    assertThat(response.status()).isEqualTo(202);
    assertThat(response.header("location")).isEqualTo("/api/v1/orders/" + ORDER);
    assertThat(response.header("content-type")).isEqualTo("application/json");
    assertThat(response.header("cache-control")).isEqualTo("no-store");
    assertThat(response.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(response.header("ratelimit-policy")).startsWith("\"ip\";q=1000000;w=");
    assertThat(response.header("ratelimit")).startsWith("\"ip\";r=");
    JsonNode body = JSON.readTree(response.body());
    assertThat(body.path("orderId").asText()).isEqualTo(ORDER.value());
    assertThat(body.path("status").asText()).isEqualTo("ACCEPTED");
    assertThat(body.path("remaining").asInt()).isEqualTo(41);
    assertThat(gateway.purchases())
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.user()).isEqualTo(new UserId("ann"));
              assertThat(request.key()).isEqualTo(new IdempotencyKey("k1"));
              assertThat(request.lines().get(0).quantity().value()).isEqualTo(2);
              assertThat(request.budgetMs()).isEqualTo(10_000);
            });
  }

  @Test
  void purchaseOfSeveralLinesShouldReachTheEngineSorted() throws Exception {
    Response response =
        call(
            post(
                "/api/v1/purchases",
                bearer("lin") + "Content-Type: application/json; charset=UTF-8\r\n",
                "{\"lines\":[{\"itemId\":\"2\",\"quantity\":1},"
                    + "{\"itemId\":\"1\",\"quantity\":3}]}"));
    assertThat(response.status()).isEqualTo(202);
    assertThat(gateway.purchases().element().lines())
        .extracting(line -> line.item().value())
        .containsExactly(1L, 2L);
    assertThat(gateway.purchases().element().key()).isEqualTo(IdempotencyKey.NONE);
  }

  @Test
  void OL_01_aReplayShouldAnswer200WithTheSameOrder() throws Exception {
    gateway.engine(request -> PurchaseReply.replayed(ORDER));
    Response response = call(gateway.purchase("rea", "Idempotency-Key: k\r\n", "{\"quantity\":1}"));
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("location")).endsWith(ORDER.value());
    assertThat(response.body())
        .isEqualTo("{\"orderId\":\"" + ORDER + "\",\"status\":\"ACCEPTED\"}");
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void purchaseShouldSayEveryRefusalOfTheEngineAsAProblem(ErrorCode code) throws Exception {
    gateway.engine(request -> PurchaseReply.refused(code, 1_700));
    Response response = call(gateway.purchase(code.name(), "", "{\"quantity\":1}"));
    problem(response, code);
    if (response.status() == 429 || response.status() == 503) {
      assertThat(response.header("retry-after")).isEqualTo("2");
    }
  }

  @Test
  void limitReachedShouldNameTheHeldOrder() throws Exception {
    gateway.engine(request -> PurchaseReply.limitReached(ORDER));
    Response response = call(gateway.purchase("lim", "", "{\"quantity\":1}"));
    assertThat(problem(response, ErrorCode.LIMIT_REACHED).path("orderId").asText())
        .isEqualTo(ORDER.value());
  }

  @Test
  void OL_02_noAnswerInTimeShouldBeOutcomeUnknown() throws Exception {
    try (RunningGateway hasty = hasty()) {
      hasty.engine(request -> null);
      Response response =
          RawHttp.once(hasty.publicPort(), hasty.purchase("unk", "", "{\"quantity\":1}"));
      assertThat(problem(response, ErrorCode.OUTCOME_UNKNOWN).path("outcome").asText())
          .isEqualTo("unknown");
      assertThat(response.header("retry-after")).isEqualTo("1");
      RunningGateway.await(() -> hasty.gauge("seckill.gateway.purchases.in.flight") == 0);
    }
  }

  @Test
  void soldOutOnTheBoardShouldNotRefuseHere() throws Exception {
    gateway.engine(request -> PurchaseReply.replayed(ORDER));
    Response response =
        call(
            post(
                "/api/v1/items/3/purchases",
                bearer("sol") + "Content-Type: application/json\r\n",
                "{\"quantity\":1}"));
    assertThat(response.status()).isEqualTo(200);
  }

  @Test
  void RL_03_theUsersWindowShouldLetExactlyItsLimitThrough() throws Exception {
    double before = gateway.refused("user_window", ErrorCode.RATE_LIMITED);
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      String request = gateway.purchase("win", "", "{\"quantity\":1}");
      long start = System.nanoTime();
      http.send(request.repeat(30));
      int passed = 0;
      for (int i = 0; i < 30; i++) {
        Response response = http.read();
        if (response.status() == 202) {
          passed++;
        } else {
          problem(response, ErrorCode.RATE_LIMITED);
          assertThat(response.header("retry-after")).isEqualTo("1");
        }
      }
      // RL_05: pipelined requests count one by one. On a slow machine the window may have moved.
      long windows = (System.nanoTime() - start) / 1_000_000_000L + 1;
      assertThat((long) passed).isBetween(10L, 10L * windows);
      assertThat(gateway.refused("user_window", ErrorCode.RATE_LIMITED) - before)
          .isEqualTo(30 - passed);
    }
  }

  // ---- bad input ----

  static Stream<Arguments> badInput() {
    String json = "Content-Type: application/json\r\n";
    return Stream.of(
        Arguments.of("{\"quantity\":0}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":-1}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":4294967297}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":1.0}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":0.5}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":\"1\"}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":null}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":[1]}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":1,\"quantity\":2}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":1,\"userId\":\"bob\"}", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":1}x", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("[1]", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("null", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("", json, ErrorCode.INVALID_REQUEST),
        Arguments.of("", "", ErrorCode.INVALID_REQUEST),
        Arguments.of("x".repeat(4_097), json, ErrorCode.PAYLOAD_TOO_LARGE),
        Arguments.of("{\"quantity\":1}", "", ErrorCode.UNSUPPORTED_MEDIA_TYPE),
        Arguments.of(
            "{\"quantity\":1}", "Content-Type: text/plain\r\n", ErrorCode.UNSUPPORTED_MEDIA_TYPE),
        Arguments.of(
            "quantity=1",
            "Content-Type: application/x-www-form-urlencoded\r\n",
            ErrorCode.UNSUPPORTED_MEDIA_TYPE),
        Arguments.of(
            "{\"quantity\":1}",
            "Content-Type: application/json; charset=utf-16\r\n",
            ErrorCode.UNSUPPORTED_MEDIA_TYPE),
        Arguments.of(
            "{\"quantity\":1}",
            json + "Content-Encoding: gzip\r\n",
            ErrorCode.UNSUPPORTED_MEDIA_TYPE),
        Arguments.of(
            "{\"quantity\":1}", json + "Idempotency-Key: a b\r\n", ErrorCode.INVALID_REQUEST),
        Arguments.of("{\"quantity\":1}", json + "Idempotency-Key: \r\n", ErrorCode.INVALID_REQUEST),
        Arguments.of(
            "{\"quantity\":1}",
            json + "Idempotency-Key: " + "k".repeat(65) + "\r\n",
            ErrorCode.INVALID_REQUEST),
        Arguments.of(
            "{\"quantity\":1}",
            json + "Idempotency-Key: \uD83D\uDE00\r\n",
            ErrorCode.INVALID_REQUEST),
        Arguments.of(
            "{\"quantity\":1}",
            json + "Idempotency-Key: a\r\nIdempotency-Key: a\r\n",
            ErrorCode.INVALID_REQUEST));
  }

  @ParameterizedTest
  @MethodSource("badInput")
  void IN_02_badInputShouldBeRefusedWithAStableCode(String body, String headers, ErrorCode code)
      throws Exception {
    Response response = call(post("/api/v1/items/1/purchases", bearer("bad") + headers, body));
    problem(response, code);
    assertThat(response.body()).doesNotContain("Exception").doesNotContain("jackson");
    assertThat(gateway.purchases()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "999",
        "0",
        "-1",
        "007",
        "abc",
        "4294967297",
        "1%20",
        "1;a=b",
        "9223372036854775808"
      })
  void unknownItemsShouldBe404(String item) throws Exception {
    Response response =
        call(
            post(
                "/api/v1/items/" + item + "/purchases",
                bearer("uki") + "Content-Type: application/json\r\n",
                "{\"quantity\":1}"));
    problem(response, ErrorCode.NOT_FOUND);
    problem(call(get("/api/v1/items/" + item, "")), ErrorCode.NOT_FOUND);
    assertThat(gateway.purchases()).isEmpty();
  }

  @Test
  void IN_05_multipartShouldBeRefusedOnEveryRoute() throws Exception {
    String multipart = "Content-Type: multipart/form-data; boundary=b\r\n";
    String body = "--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\nx\r\n--b--\r\n";
    for (String path :
        List.of(
            "/api/v1/items/1/purchases",
            "/api/v1/purchases",
            "/api/v1/payments/callback",
            "/api/v1/dev/session")) {
      problem(call(post(path, multipart, body)), ErrorCode.UNSUPPORTED_MEDIA_TYPE);
    }
    problem(
        RawHttp.once(gateway.adminPort(), post("/api/v1/admin/items/1/restock", multipart, body)),
        ErrorCode.UNSUPPORTED_MEDIA_TYPE);
  }

  @Test
  void IN_04_aDeclaredGigabyteShouldBe413AndClose() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send("POST /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\n");
      Response response = http.send("Content-Length: 1073741824\r\n\r\nx").read();
      problem(response, ErrorCode.PAYLOAD_TOO_LARGE);
      assertThat(response.header("connection")).isEqualTo("close");
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  @Test
  void IN_04_aLongChunkedBodyShouldBe413AndClose() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send(
          "POST /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
              + "Content-Type: application/json\r\n"
              + bearer("chu")
              + "\r\n");
      for (int i = 0; i < 5; i++) {
        http.send("400\r\n" + "x".repeat(1_024) + "\r\n");
      }
      problem(http.read(), ErrorCode.PAYLOAD_TOO_LARGE);
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  // ---- protocol ----

  @Test
  void IN_06_aBodyInTwoPacketsAndChunkedShouldArriveWhole() throws Exception {
    String request = gateway.purchase("two", "", "{\"quantity\":1}");
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      int split = request.length() - 6;
      http.send(request.substring(0, split));
      RunningGateway.await(() -> gateway.count("seckill.gateway.requests", "route", PURCHASES) > 0);
      http.send(request.substring(split));
      assertThat(http.read().status()).isEqualTo(202);
      http.send(
          "POST /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
              + "Content-Type: application/json\r\n"
              + bearer("two")
              + "\r\n5\r\n{\"qua\r\n9\r\nntity\":1}\r\n0\r\n\r\n");
      assertThat(http.read().status()).isEqualTo(202);
    }
    assertThat(gateway.purchases()).hasSize(2);
  }

  private static final String PURCHASES = "/api/v1/items/{itemId}/purchases";

  @Test
  void IN_07_aSlowHeadShouldEndWith408() throws Exception {
    try (RunningGateway hasty = hasty();
        RawHttp http = RawHttp.connect(hasty.publicPort())) {
      slowly(http, "GET /api/v1/items HTTP/1.1\r\nHost: x\r\nX-Slow: " + "a".repeat(100));
      problem(http.read(), ErrorCode.REQUEST_TIMEOUT);
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  @Test
  void IN_07_aSlowBodyShouldEndWith408() throws Exception {
    try (RunningGateway hasty = hasty();
        RawHttp http = RawHttp.connect(hasty.publicPort())) {
      http.send(
          post(
                      "/api/v1/items/1/purchases",
                      bearer("slo") + "Content-Type: application/json\r\n",
                      " ".repeat(200))
                  .stripTrailing()
              + "\r\n\r\n");
      slowly(http, " ".repeat(100));
      problem(http.read(), ErrorCode.REQUEST_TIMEOUT);
      assertThat(http.isClosedByServer()).isTrue();
      assertThat(hasty.purchases()).isEmpty();
    }
  }

  @Test
  void IN_07_aRefusedRequestWhoseBodyNeverEndsShouldBeCut() throws Exception {
    try (RunningGateway hasty = hasty();
        RawHttp http = RawHttp.connect(hasty.publicPort())) {
      http.send(head("Content-Length: 50", "Content-Type: application/json"));
      problem(http.read(), ErrorCode.UNAUTHENTICATED);
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  @Test
  void IN_07_anIdleKeptConnectionShouldNotBeOverdue() throws Exception {
    try (RunningGateway hasty = hasty();
        RawHttp http = RawHttp.connect(hasty.publicPort())) {
      http.send(get("/api/v1/items", ""));
      assertThat(http.read().status()).isEqualTo(200);
      long until = System.nanoTime() + 1_200_000_000L;
      RunningGateway.await(() -> System.nanoTime() > until);
      http.send(get("/api/v1/items", ""));
      assertThat(http.read().status()).isEqualTo(200);
    }
  }

  /** A byte every 20 ms until the other side has had enough, bounded by the text. */
  private static void slowly(RawHttp http, String text) throws Exception {
    try {
      for (int i = 0; i < text.length(); i++) {
        http.send(text.substring(i, i + 1));
        long until = System.nanoTime() + 20_000_000L;
        RunningGateway.await(() -> System.nanoTime() > until);
      }
    } catch (IOException e) {
      // The server closed: that is what the caller looks for.
    }
  }

  @Test
  void IN_07_connectionsBeyondTheCapShouldBeClosed() throws Exception {
    SeckillConfig.Gateway base = TestConfigs.gateway();
    SeckillConfig.Gateway two =
        new SeckillConfig.Gateway(
            base.host(),
            0,
            base.adminHost(),
            0,
            1,
            2,
            4_096,
            10_000,
            60_000,
            500,
            List.of(),
            List.of(),
            false,
            32,
            3,
            15_000,
            2_000,
            5_000);
    try (RunningGateway small = RunningGateway.start(two, TestConfigs.admission());
        RawHttp one = RawHttp.connect(small.publicPort())) {
      assertThat(one.send(get("/api/v1/items", "")).read().status()).isEqualTo(200);
      try (RawHttp other = RawHttp.connect(small.publicPort())) {
        assertThat(other.send(get("/api/v1/items", "")).read().status()).isEqualTo(200);
        try (RawHttp third = RawHttp.connect(small.publicPort())) {
          assertThat(third.isClosedByServer()).isTrue();
        }
        assertThat(small.refused("connection", ErrorCode.BUSY)).isEqualTo(1);
      }
      RunningGateway.await(() -> small.gauge("seckill.gateway.connections") == 1);
      assertThat(RawHttp.once(small.publicPort(), get("/api/v1/items", "")).status())
          .isEqualTo(200);
      RunningGateway.await(() -> small.gauge("seckill.gateway.connections") == 1);
      problem(
          RawHttp.once(small.publicPort(), post("/api/v1/dev/session", "", "")),
          ErrorCode.NOT_FOUND);
    }
  }

  static Stream<Arguments> ambiguous() {
    String post = "POST /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\n";
    return Stream.of(
        Arguments.of(
            post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        Arguments.of(
            post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400),
        Arguments.of(post + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd", 400),
        Arguments.of(post + "Content-Length: -1\r\n\r\n", 400),
        Arguments.of(post + "Content-Length: 4x\r\n\r\n", 400),
        Arguments.of(post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
        Arguments.of(post + "Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\nabcd", 400),
        Arguments.of(
            post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            400),
        Arguments.of("GET /api/v1/items HTTP/1.1\r\n\r\n", 400),
        Arguments.of("GET /api/v1/items HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        Arguments.of("GET /api/v1/items HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n", 400),
        Arguments.of("GARBAGE\r\n\r\n", 400),
        Arguments.of("GET /api/v1/items HTTP/3.7\r\nHost: x\r\n\r\n", 505),
        Arguments.of("GET /" + "a".repeat(5_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        Arguments.of(get("/api/v1/items", "X: " + "a".repeat(9_000) + "\r\n"), 431));
  }

  @ParameterizedTest
  @MethodSource("ambiguous")
  void IN_10_ambiguousOrMalformedHttpShouldBeRefusedAndClosed(String request, int status)
      throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      Response response = http.send(request).read();
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.header("content-type")).isEqualTo("application/problem+json");
      assertThat(JSON.readTree(response.body()).path("code").asText()).isEqualTo("INVALID_REQUEST");
      assertThat(http.isClosedByServer()).isTrue();
    }
    assertThat(gateway.purchases()).isEmpty();
  }

  private static String chunked(String user, String chunks) {
    return "POST /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        + "Content-Type: application/json\r\n"
        + bearer(user)
        + "\r\n"
        + chunks;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zz\r\n",
        "\r\n",
        "-1\r\n",
        "e\n{\"quantity\":1}\r\n0\r\n\r\n",
        "5\r\n{\"quantity\":1}\r\n0\r\n\r\n",
        "20\r\n{\"quantity\":1}\r\n0\r\n\r\n123456789012345678",
        "e;a b=c\r\n{\"quantity\":1}\r\n0\r\n\r\n",
        "e;a=\r\n{\"quantity\":1}\r\n0\r\n\r\n",
        "ffffffffff\r\n",
      })
  void IN_10_aMalformedChunkShouldBeRefusedAndClosed(String chunks) throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      problem(http.send(chunked("chx", chunks)).read(), ErrorCode.INVALID_REQUEST);
      assertThat(http.isClosedByServer()).isTrue();
    }
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send(chunked("chx", "2\r\n{\"\r\n"));
      RunningGateway.await(() -> gateway.gauge("seckill.gateway.connections") > 0);
      problem(http.send(chunks).read(), ErrorCode.INVALID_REQUEST);
    }
    assertThat(gateway.purchases()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ";a=b",
        ";a",
        ";a=b;c=d",
        " ; a = b",
        ";a=\"q\";b=c",
        ";a=\"x;y\\\"\"",
        ";a=b;c=\"d\"",
      })
  void IN_10_legalChunkExtensionsShouldBeIgnored(String extension) throws Exception {
    String body = "5%1$s\r\n{\"qua\r\n9%1$s\r\nntity\":1}\r\n0%1$s\r\n\r\n".formatted(extension);
    // Each case is a buyer of its own: the window of one would be full after a few.
    String request = chunked("che" + Integer.toHexString(extension.hashCode()), body);
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      assertThat(http.send(request + request).read().status()).isEqualTo(202);
      assertThat(http.read().status()).isEqualTo(202);
      for (int i = 0; i < request.length(); i++) {
        http.send(request.substring(i, i + 1));
      }
      assertThat(http.read().status()).isEqualTo(202);
    }
    assertThat(gateway.purchases()).hasSize(3);
  }

  @Test
  void IN_10_expectShouldBeAnsweredOnlyWhenTheBodyIsWanted() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      String[] wish = {
        "Expect: 100-continue", "Content-Type: application/json", "Content-Length: 14"
      };
      http.send(head(wish[0], wish[1], wish[2], bearer("exp").strip()));
      assertThat(http.read(false).status()).isEqualTo(100);
      http.send("{\"quantity\":1}");
      assertThat(http.read().status()).isEqualTo(202);
      http.send(head(wish));
      problem(http.read(), ErrorCode.UNAUTHENTICATED);
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  @Test
  void IN_10_pipelinedRequestsShouldBeAnsweredInOrder() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send(
          gateway.purchase("pip", "", "{\"quantity\":1}")
              + get("/api/v1/items/2", "")
              + gateway.purchase("pip", "", "{\"quantity\":0}")
              + get("/nowhere", ""));
      assertThat(http.read().status()).isEqualTo(202);
      assertThat(http.read().status()).isEqualTo(200);
      assertThat(http.read().status()).isEqualTo(400);
      assertThat(http.read().status()).isEqualTo(404);
    }
  }

  @Test
  void IN_10_aClientThatLeavesShouldStillHaveBought() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send(gateway.purchase("gone", "", "{\"quantity\":1}"));
    }
    RunningGateway.await(() -> gateway.purchases().size() == 1);
    RunningGateway.await(() -> gateway.gauge("seckill.gateway.purchases.in.flight") == 0);
  }

  @Test
  void http10ShouldWork() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send("GET /api/v1/items HTTP/1.0\r\n\r\n");
      assertThat(http.read().status()).isEqualTo(200);
      assertThat(http.isClosedByServer()).isTrue();
    }
  }

  @Test
  void unknownPathsAndMethodsShouldBeProblems() throws Exception {
    problem(call(get("/nowhere", "")), ErrorCode.NOT_FOUND);
    problem(call(get("/api/v1/items/", "")), ErrorCode.NOT_FOUND);
    Response response = call("DELETE /api/v1/items HTTP/1.1\r\nHost: x\r\n\r\n");
    problem(response, ErrorCode.METHOD_NOT_ALLOWED);
    assertThat(response.header("allow")).isEqualTo("GET, HEAD, OPTIONS");
    Response overridden =
        call(get("/api/v1/items/1/purchases", "X-HTTP-Method-Override: POST\r\n"));
    problem(overridden, ErrorCode.METHOD_NOT_ALLOWED);
    problem(call("TRACE /api/v1/items HTTP/1.1\r\nHost: x\r\n\r\n"), ErrorCode.METHOD_NOT_ALLOWED);
  }

  @Test
  void headShouldAnswerAsGetWithoutABody() throws Exception {
    try (RawHttp http = RawHttp.connect(gateway.publicPort())) {
      http.send("HEAD /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n");
      Response head = http.read(false);
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("content-type")).isEqualTo("application/yaml");
      http.send(get("/openapi.yaml", ""));
      Response whole = http.read();
      assertThat(whole.header("content-length")).isEqualTo(head.header("content-length"));
      assertThat(whole.body()).startsWith("openapi: 3.1.0");
    }
  }

  @Test
  void theShopPageShouldBeServedUnderAStrictPolicy() throws Exception {
    Response index = call(get("/", ""));
    assertThat(index.status()).isEqualTo(200);
    assertThat(index.header("content-type")).isEqualTo("text/html; charset=utf-8");
    assertThat(index.header("content-security-policy"))
        .contains("default-src 'none'")
        .doesNotContain("unsafe");
    assertThat(index.body())
        .doesNotContain("<style")
        .doesNotContain(" style=")
        .doesNotContain("onclick");
    for (String asset :
        List.of(
            "app.js",
            "api.js",
            "dom.js",
            "live.js",
            "orders.js",
            "purchase.js",
            "retry.js",
            "text.js",
            "waitlist.js",
            "style.css")) {
      Response file = call(get("/assets/" + asset, ""));
      assertThat(file.status()).as(asset).isEqualTo(200);
      Response again =
          call(get("/assets/" + asset, "If-None-Match: " + file.header("etag") + "\r\n"));
      assertThat(again.status()).isEqualTo(304);
    }
    problem(call(get("/assets/../openapi.yaml", "")), ErrorCode.NOT_FOUND);
    problem(call(get("/assets/files.txt", "")), ErrorCode.NOT_FOUND);
  }

  // ---- items and orders ----

  @Test
  void itemsShouldBeCacheableForASecond() throws Exception {
    Response response = call(get("/api/v1/items", ""));
    assertThat(response.header("cache-control")).isEqualTo("public, max-age=1");
    JsonNode body = JSON.readTree(response.body());
    assertThat(body.path("serverTime").asText()).startsWith("2023-11-14T22:1");
    assertThat(body.path("items")).hasSize(3);
    assertThat(body.at("/items/0/itemId").isTextual()).isTrue();
    assertThat(body.at("/items/2/soldOut").asBoolean()).isTrue();
    JsonNode one = JSON.readTree(call(get("/api/v1/items/1", "")).body());
    assertThat(one.path("name").asText()).isEqualTo("Phone \"P\" <1> 手机");
    assertThat(one.path("serverTime").isTextual()).isTrue();
  }

  @Test
  void itemsShouldShowTheirGroupAndBePausedWhileAllSalesAreStopped() throws Exception {
    try (RunningGateway own = RunningGateway.start()) {
      own.publish(
          Boards.stopped(Boards.of(1_700_000_001_000L, Boards.inGroup(1, new ItemGroup("g", 2)))));
      for (String path : List.of("/api/v1/items", "/api/v1/items/1")) {
        JsonNode[] item = {null};
        RunningGateway.await(
            () -> {
              try {
                JsonNode body = JSON.readTree(RawHttp.once(own.publicPort(), get(path, "")).body());
                item[0] = body.path("items").path(0);
                item[0] = item[0].isMissingNode() ? body : item[0];
                return item[0].path("state").asText().equals("PAUSED");
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
        assertThat(item[0].path("group").toString()).isEqualTo("{\"id\":\"g\",\"limitPerUser\":2}");
      }
      JsonNode other = JSON.readTree(call(get("/api/v1/items/1", "")).body());
      assertThat(other.path("state").asText()).isEqualTo("OPEN");
      assertThat(other.has("group")).isFalse();
    }
  }

  /** A page sets its clock by these answers: none may say "as before", which has no time in it. */
  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/items", "/api/v1/items/1"})
  void itemsShouldTellTheTimeInEveryAnswer(String path) throws Exception {
    Response first = call(get(path, ""));
    assertThat(first.header("etag")).isNull();
    String before = serverTime(first);
    RunningGateway.await(
        () -> {
          try {
            Response again = call(get(path, "If-None-Match: *\r\n"));
            assertThat(again.status()).isEqualTo(200);
            return serverTime(again).compareTo(before) > 0;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  private static String serverTime(Response response) throws IOException {
    return JSON.readTree(response.body()).path("serverTime").asText();
  }

  @Test
  void AU_04_ordersShouldBeTheCallersOnly() throws Exception {
    Response mine = call(get("/api/v1/orders/" + ORDER, bearer("ann")));
    assertThat(mine.status()).isEqualTo(200);
    assertThat(mine.header("retry-after")).isEqualTo("1");
    JsonNode order = JSON.readTree(mine.body());
    assertThat(order.path("status").asText()).isEqualTo("ACCEPTED");
    assertThat(order.path("wonAt").asText()).isEqualTo("2023-11-14T22:13:20.123Z");
    problem(call(get("/api/v1/orders/" + ORDER, bearer("bob"))), ErrorCode.NOT_FOUND);
    problem(call(get("/api/v1/orders/1", bearer("ann"))), ErrorCode.NOT_FOUND);
    problem(call(get("/api/v1/orders/" + ORDER, "")), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void ordersShouldComeInPages() throws Exception {
    JsonNode page = JSON.readTree(call(get("/api/v1/orders?limit=1", bearer("ann"))).body());
    assertThat(page.path("orders")).hasSize(1);
    assertThat(page.path("next").asText()).isEqualTo(ORDER.value());
    JsonNode last = JSON.readTree(call(get("/api/v1/orders?after=" + ORDER, bearer("ann"))).body());
    assertThat(last.has("next")).isFalse();
    for (String query :
        List.of(
            "limit=0",
            "limit=101",
            "limit=1.0",
            "limit=",
            "limit=1&limit=2",
            "after=x",
            "userId=bob",
            "%zz=1",
            "limit=%31%00")) {
      problem(call(get("/api/v1/orders?" + query, bearer("ann"))), ErrorCode.INVALID_REQUEST);
    }
  }

  // ---- tokens and admin ----

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Authorization: Bearer garbage\r\n",
        "Authorization: bearer x.y.z\r\n",
        "Authorization: Basic YTpi\r\n",
        "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
        "Authorization:\r\n",
      })
  void AU_02_withoutAGoodTokenNothingShouldBeBought(String headers) throws Exception {
    Response response =
        call(
            post(
                "/api/v1/items/1/purchases?token=" + gateway.token("ann"),
                headers + "Content-Type: application/json\r\n",
                "{\"quantity\":1}"));
    problem(response, ErrorCode.UNAUTHENTICATED);
    assertThat(response.header("www-authenticate")).isEqualTo("Bearer");
    assertThat(gateway.purchases()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/admin/items", "//api/v1/admin/items", "/api/v1//admin/items",
        "/api/v1/admin;a=b/items", "/api/v1/%61dmin/items", "/api%2fv1/admin/items",
        "/API/V1/ADMIN/ITEMS", "/api/v1/items/../admin/items", "/api/v1/items/1/../../admin/items",
        "/metrics", "/health",
      })
  void AU_05_adminRoutesShouldNotExistOnThePublicPort(String path) throws Exception {
    String headers = "Authorization: Bearer " + gateway.adminToken() + "\r\n";
    problem(call(get(path, headers)), ErrorCode.NOT_FOUND);
    problem(call(post(path, headers, "")), ErrorCode.NOT_FOUND);
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void AU_05_theAdminPortShouldWantTheRole() throws Exception {
    for (String path :
        List.of(
            "/api/v1/admin/items/1/preheat",
            "/api/v1/admin/items/1/withdraw",
            "/api/v1/admin/items/1/end",
            "/api/v1/admin/sales/stop",
            "/api/v1/admin/orders/" + ORDER + "/cancel",
            "/api/v1/admin/orders/" + ORDER + "/refund",
            "/api/v1/admin/audit")) {
      problem(RawHttp.once(gateway.adminPort(), post(path, "", "")), ErrorCode.UNAUTHENTICATED);
      problem(
          RawHttp.once(gateway.adminPort(), post(path, bearer("ann"), "")), ErrorCode.FORBIDDEN);
    }
    problem(
        RawHttp.once(gateway.adminPort(), get("/api/v1/items", bearer("ann"))),
        ErrorCode.NOT_FOUND);
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void adminShouldCreateAndChangeItems() throws Exception {
    Response created =
        admin(
            "/api/v1/admin/items",
            "Idempotency-Key: create-7\r\n",
            "{\"itemId\":\"7\",\"name\":\"手机\",\"priceMinor\":199900,\"currency\":\"CNY\","
                + "\"startsAt\":\"2026-11-11T00:00:00+08:00\","
                + "\"endsAt\":\"2026-11-11T16:00:00Z\",\"stock\":100,\"limitPerUser\":2}");
    assertThat(created.status()).isEqualTo(201);
    assertThat(JSON.readTree(created.body()).path("stock").asInt()).isEqualTo(100);
    assertThat(gateway.changes().poll())
        .isInstanceOfSatisfying(
            ItemCreate.class,
            create -> {
              assertThat(create.requestId()).isEqualTo("create-7");
              assertThat(create.actor()).isEqualTo("olga");
              assertThat(create.stock()).isEqualTo(100);
              assertThat(create.definition().startsAtMs()).isEqualTo(1_794_326_400_000L);
              assertThat(create.definition().payWithinMs()).isEqualTo(900_000);
            });
    for (String action : List.of("preheat", "pause", "resume", "end")) {
      assertThat(admin("/api/v1/admin/items/1/" + action, "", "").status()).isEqualTo(200);
      ItemChange change = (ItemChange) gateway.changes().remove();
      assertThat(change.action())
          .isEqualTo(ItemChange.Action.valueOf(action.toUpperCase(java.util.Locale.ROOT)));
      assertThat(change.item()).isEqualTo(new ItemId(1));
      assertThat(change.requestId()).isNotEmpty();
    }
    assertThat(
            admin("/api/v1/admin/items/1/restock", "", "{\"units\":5,\"requestId\":\"r1\"}")
                .status())
        .isEqualTo(200);
    assertThat(((ItemChange) gateway.changes().remove()).values())
        .isEqualTo(ItemChange.Values.ofUnits(5));
    problem(admin("/api/v1/admin/items/404/pause", "", ""), ErrorCode.NOT_FOUND);
    Response list =
        RawHttp.once(
            gateway.adminPort(),
            get("/api/v1/admin/items", "Authorization: Bearer " + gateway.adminToken() + "\r\n"));
    assertThat(JSON.readTree(list.body()).at("/items/0/remaining").asInt()).isEqualTo(100);
  }

  static Stream<Arguments> changes() {
    return Stream.of(
        Arguments.of("preheat", "", "PREHEAT", ItemChange.Values.NONE),
        Arguments.of("pause", "", "PAUSE", ItemChange.Values.NONE),
        Arguments.of("restock", "\"units\":5", "RESTOCK", ItemChange.Values.ofUnits(5)),
        Arguments.of("withdraw", "\"units\":5", "WITHDRAW", ItemChange.Values.ofUnits(5)),
        Arguments.of("total", "\"total\":0", "SET_TOTAL", ItemChange.Values.ofUnits(0)),
        Arguments.of("cap", "\"cap\":0", "CAP", ItemChange.Values.ofUnits(0)),
        Arguments.of("cap", "\"cap\":null", "CAP", ItemChange.Values.ofUnits(ItemRecord.NO_CAP)),
        Arguments.of("limit", "\"limitPerUser\":3", "SET_LIMIT", ItemChange.Values.ofLimit(3)),
        Arguments.of(
            "window",
            "\"startsAt\":\"1970-01-01T00:00:01Z\",\"endsAt\":\"1970-01-01T08:00:02+08:00\"",
            "SET_WINDOW",
            ItemChange.Values.ofWindow(1_000, 2_000)));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void everyChangeShouldReachTheEngineOnceUnderItsRequestId(
      String word, String fields, ItemChange.Action action, ItemChange.Values values)
      throws Exception {
    String path = "/api/v1/admin/items/1/" + word;
    String more = fields.isEmpty() ? "" : fields + ",";
    Response inBody = admin(path, "", "{" + more + "\"requestId\":\"r-1\"}");
    Response inHeader = admin(path, "Idempotency-Key: r-1\r\n", "{" + fields + "}");
    problem(
        admin(path, "Idempotency-Key: r-2\r\n", "{" + more + "\"requestId\":\"r-1\"}"),
        ErrorCode.INVALID_REQUEST);
    for (Response response : List.of(inBody, inHeader)) {
      assertThat(response.status()).as(response.body()).isEqualTo(200);
      JsonNode changed = JSON.readTree(response.body());
      assertThat(changed.path("asked").asInt()).isEqualTo(10);
      assertThat(changed.path("done").asInt()).isEqualTo(7);
      assertThat(changed.path("settled").isBoolean()).isTrue();
      assertThat(changed.path("units").asInt()).isEqualTo(100);
      assertThat(changed.path("reserve").asInt()).isEqualTo(40);
      assertThat(changed.path("cap").asInt()).isEqualTo(60);
      assertThat(changed.path("generation").asInt()).isEqualTo(2);
      assertThat(gateway.changes().remove())
          .isEqualTo(new ItemChange("r-1", "olga", new ItemId(1), action, values));
    }
    assertThat(gateway.changes()).isEmpty();
  }

  static Stream<Arguments> wrongChanges() {
    return Stream.of(
            "preheat {\"units\":5}",
            "withdraw {}",
            "withdraw {\"units\":0}",
            "withdraw {\"units\":1e3}",
            "withdraw {\"units\":9223372036854775808}",
            "withdraw {\"total\":5}",
            "total {}",
            "total {\"total\":-1}",
            "total {\"total\":1.0}",
            "total {\"total\":null}",
            "total {\"units\":5}",
            "cap {}",
            "cap {\"cap\":-1}",
            "cap {\"cap\":\"none\"}",
            "cap {\"cap\":1000000001}",
            "limit {}",
            "limit {\"limitPerUser\":0}",
            "limit {\"limitPerUser\":101}",
            "limit {\"limitPerUser\":1,\"limitPerUser\":2}",
            "window {}",
            "window {\"startsAt\":\"2026-11-11T00:00:00Z\"}",
            "window {\"startsAt\":\"2026-11-11T00:00:00Z\",\"endsAt\":\"2026-11-11T00:00:00Z\"}",
            "window {\"startsAt\":\"2026-11-11T00:00:00\",\"endsAt\":\"2026-11-12T00:00:00Z\"}",
            "window {\"startsAt\":0,\"endsAt\":1}",
            "pause []",
            "end {\"requestId\":\"\"}")
        .map(line -> Arguments.of((Object[]) line.split(" ", 2)));
  }

  @ParameterizedTest
  @MethodSource("wrongChanges")
  void IN_08_aWrongChangeShouldChangeNothing(String word, String body) throws Exception {
    problem(admin("/api/v1/admin/items/1/" + word, "", body), ErrorCode.INVALID_REQUEST);
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void adminShouldStopResumeAndShowAllSales() throws Exception {
    Response stopped = admin("/api/v1/admin/sales/stop", "", "{\"requestId\":\"night-1\"}");
    assertThat(stopped.body()).isEqualTo("{\"stopped\":true,\"generation\":8}");
    assertThat(gateway.changes().remove()).isEqualTo(new SalesChange("night-1", "olga", 0, true));
    Response resumed = admin("/api/v1/admin/sales/resume", "Idempotency-Key: night-2\r\n", "");
    assertThat(resumed.body()).isEqualTo("{\"stopped\":false,\"generation\":8}");
    assertThat(gateway.changes().remove()).isEqualTo(new SalesChange("night-2", "olga", 0, false));
    Response shown =
        RawHttp.once(
            gateway.adminPort(),
            get("/api/v1/admin/sales", "Authorization: Bearer " + gateway.adminToken() + "\r\n"));
    assertThat(shown.body()).isEqualTo("{\"stopped\":false,\"generation\":7}");
    problem(admin("/api/v1/admin/sales/stop", "", "{\"stopped\":true}"), ErrorCode.INVALID_REQUEST);
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void itemsShouldBelongToAGroupWhenOneIsNamed() throws Exception {
    String item =
        "{\"itemId\":\"8\",\"name\":\"n\",\"priceMinor\":1,\"currency\":\"CNY\","
            + "\"startsAt\":\"2026-11-11T00:00:00Z\",\"endsAt\":\"2026-11-12T00:00:00Z\","
            + "\"stock\":1,\"group\":";
    Response created =
        admin("/api/v1/admin/items", "", item + "{\"id\":\"phone.2026\",\"limitPerUser\":2}}");
    assertThat(JSON.readTree(created.body()).at("/group/id").asText()).isEqualTo("phone.2026");
    assertThat(((ItemCreate) gateway.changes().remove()).definition().group())
        .isEqualTo(new ItemGroup("phone.2026", 2));
    for (String wrong :
        List.of(
            "null",
            "\"phone\"",
            "{}",
            "{\"id\":\"phone\"}",
            "{\"limitPerUser\":1}",
            "{\"id\":\"a b\",\"limitPerUser\":1}",
            "{\"id\":\"\",\"limitPerUser\":1}",
            "{\"id\":\"a\",\"limitPerUser\":0}",
            "{\"id\":\"a\",\"limitPerUser\":101}",
            "{\"id\":\"a\",\"limitPerUser\":1,\"name\":\"x\"}")) {
      problem(admin("/api/v1/admin/items", "", item + wrong + "}"), ErrorCode.INVALID_REQUEST);
    }
    assertThat(gateway.changes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"units\":0}",
        "{\"units\":-70}",
        "{\"units\":1.5}",
        "{\"units\":\"5\"}",
        "{\"units\":1000000001}",
        "{\"units\":5,\"total\":5}",
        "{\"units\":5,\"requestId\":\"a b\"}",
        "{\"units\":5,\"requestId\":7}",
      })
  void IN_08_aWrongRestockShouldChangeNothing(String body) throws Exception {
    problem(admin("/api/v1/admin/items/1/restock", "", body), ErrorCode.INVALID_REQUEST);
    assertThat(gateway.changes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"name\":\"\"",
        "\"name\":\"a\\u0000b\"",
        "\"name\":\"\\ud800\"",
        "\"name\":7",
        "\"priceMinor\":-1",
        "\"priceMinor\":19.99",
        "\"currency\":\"cny\"",
        "\"currency\":\"CN\"",
        "\"limitPerUser\":0",
        "\"limitPerUser\":101",
        "\"stock\":-1",
        "\"stock\":1000000001",
        "\"startsAt\":\"2026-11-11T00:00:00\"",
        "\"startsAt\":\"2027-11-11T00:00:00Z\"",
        "\"startsAt\":1762790400000",
        "\"picture\":\"javascript:alert(1)\"",
        "\"picture\":\"//evil.example/p.png\"",
        "\"picture\":\"/\\\\evil.example/p.png\"",
        "\"itemId\":\"0\"",
        "\"itemId\":7",
        "\"payWithinMs\":0",
        "\"generation\":3",
      })
  void IN_08_aWrongItemShouldNotBeCreated(String field) throws Exception {
    String name = field.substring(0, field.indexOf(':'));
    String body =
        Stream.of(
                "\"itemId\":\"7\"",
                "\"name\":\"n\"",
                "\"priceMinor\":1",
                "\"currency\":\"CNY\"",
                "\"startsAt\":\"2026-11-11T00:00:00Z\"",
                "\"endsAt\":\"2026-11-12T00:00:00Z\"",
                "\"stock\":1")
            .filter(good -> !good.startsWith(name + ":"))
            .collect(java.util.stream.Collectors.joining(",", "{" + field + ",", "}"));
    problem(admin("/api/v1/admin/items", "", body), ErrorCode.INVALID_REQUEST);
    assertThat(gateway.changes()).isEmpty();
  }

  @Test
  void auditShouldShowTotalsAndFindings() throws Exception {
    JsonNode report =
        JSON.readTree(admin("/api/v1/admin/audit", "", "{\"itemId\":\"1\",\"waitMs\":5}").body());
    assertThat(report.path("clean").asBoolean()).isFalse();
    assertThat(report.at("/items/0/held").asInt()).isEqualTo(40);
    assertThat(report.at("/findings/0/promise").asText()).isEqualTo("I1");
  }

  // ---- CORS, sessions, rates, lifecycle ----

  @Test
  void corsShouldAllowConfiguredOriginsOnly() throws Exception {
    Response allowed = call(get("/api/v1/items", "Origin: https://shop.example\r\n"));
    assertThat(allowed.header("access-control-allow-origin")).isEqualTo("https://shop.example");
    assertThat(allowed.header("vary")).isEqualTo("origin");
    for (String origin : List.of("https://evil.example", "https://shop.example.evil", "null")) {
      Response other = call(get("/api/v1/items", "Origin: " + origin + "\r\n"));
      assertThat(other.header("access-control-allow-origin")).isNull();
    }
    String preflight =
        "OPTIONS /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\n"
            + "Access-Control-Request-Method: POST\r\nOrigin: ";
    Response yes = call(preflight + "https://shop.example\r\n\r\n");
    assertThat(yes.status()).isEqualTo(204);
    assertThat(yes.header("access-control-allow-methods")).isEqualTo("POST, OPTIONS");
    assertThat(yes.header("access-control-allow-headers")).contains("idempotency-key");
    Response no = call(preflight + "https://evil.example\r\n\r\n");
    assertThat(no.header("access-control-allow-methods")).isNull();
  }

  @Test
  void devSessionShouldGiveATokenThatBuysAndNoRole() throws Exception {
    JsonNode session = JSON.readTree(call(post("/api/v1/dev/session", "", "")).body());
    String bearer = "Authorization: Bearer " + session.path("token").asText() + "\r\n";
    Response bought =
        call(
            post(
                "/api/v1/items/1/purchases",
                bearer + "Content-Type: application/json\r\n",
                "{\"quantity\":1}"));
    assertThat(bought.status()).isEqualTo(202);
    assertThat(gateway.purchases().element().user().value())
        .isEqualTo(session.path("user").asText());
    problem(
        RawHttp.once(gateway.adminPort(), get("/api/v1/admin/items", bearer)), ErrorCode.FORBIDDEN);
    Response named =
        call(
            post(
                "/api/v1/dev/session", "Content-Type: application/json\r\n", "{\"user\":\"zoe\"}"));
    assertThat(JSON.readTree(named.body()).path("user").asText()).isEqualTo("zoe");
    problem(
        call(
            post(
                "/api/v1/dev/session", "Content-Type: application/json\r\n", "{\"user\":\"a b\"}")),
        ErrorCode.INVALID_REQUEST);
  }

  @Test
  void RL_04_theRateOfAnAddressShouldNotBeFooledByHeaders() throws Exception {
    try (RunningGateway strict =
        RunningGateway.start(TestConfigs.gateway(), TestConfigs.admission(5, 10))) {
      int limited = 0;
      for (int i = 0; i < 20; i++) {
        Response response =
            RawHttp.once(
                strict.publicPort(),
                get(
                    "/api/v1/items",
                    "X-Forwarded-For: 198.51.100."
                        + i
                        + "\r\nX-Real-IP: 198.51.100."
                        + i
                        + "\r\n"
                        + "Forwarded: for=198.51.100."
                        + i
                        + "\r\n"));
        if (response.status() == 429) {
          problem(response, ErrorCode.RATE_LIMITED);
          assertThat(response.header("retry-after")).isEqualTo("1");
          assertThat(response.header("ratelimit")).isEqualTo("\"ip\";r=0;t=1");
          limited++;
        }
      }
      assertThat(limited).isPositive();
      assertThat(strict.refused("address_rate", ErrorCode.RATE_LIMITED)).isEqualTo(limited);
    }
  }

  @Test
  void RL_04_behindATrustedProxyEachClientShouldHaveItsOwnRate() throws Exception {
    SeckillConfig.Gateway base = TestConfigs.gateway();
    SeckillConfig.Gateway behind =
        new SeckillConfig.Gateway(
            base.host(),
            0,
            base.adminHost(),
            0,
            1,
            64,
            4_096,
            10_000,
            60_000,
            500,
            List.of("127.0.0.1"),
            List.of(),
            false,
            32,
            3,
            15_000,
            2_000,
            5_000);
    try (RunningGateway proxied = RunningGateway.start(behind, TestConfigs.admission(1, 10))) {
      for (int i = 0; i < 20; i++) {
        String headers = "X-Forwarded-For: 1.1.1.1, 198.51.100." + i + "\r\n";
        assertThat(RawHttp.once(proxied.publicPort(), get("/api/v1/items", headers)).status())
            .isEqualTo(200);
      }
    }
  }

  @Test
  void withoutAnEngineItShouldBeUnavailableAndNotReady() throws Exception {
    SeckillConfig config =
        TestConfigs.all(TestConfigs.jwt(), TestConfigs.gateway(), TestConfigs.admission());
    try (RunningGateway alone = new RunningGateway(config, false)) {
      assertThat(alone.role().isReady()).isFalse();
      problem(RawHttp.once(alone.publicPort(), get("/api/v1/items", "")), ErrorCode.UNAVAILABLE);
      problem(
          RawHttp.once(alone.publicPort(), alone.purchase("ann", "", "{\"quantity\":1}")),
          ErrorCode.UNAVAILABLE);
      problem(
          RawHttp.once(alone.publicPort(), get("/api/v1/orders", bearer("ann"))),
          ErrorCode.UNAVAILABLE);
    }
  }

  @Test
  void aTakenPortShouldFailTheStartAndNameTheKey() throws Exception {
    SeckillConfig.Gateway base = TestConfigs.gateway();
    SeckillConfig.Gateway taken =
        new SeckillConfig.Gateway(
            base.host(),
            gateway.publicPort(),
            base.adminHost(),
            0,
            1,
            64,
            4_096,
            600,
            60_000,
            500,
            List.of(),
            List.of(),
            false,
            32,
            3,
            15_000,
            2_000,
            5_000);
    assertThatThrownBy(() -> RunningGateway.start(taken, TestConfigs.admission()))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("gateway.publicPort")
        .hasMessageContaining(Integer.toString(gateway.publicPort()));
  }

  @Test
  void onePortForTwoServersShouldBeRefused() {
    SeckillConfig.Gateway base = TestConfigs.gateway();
    SeckillConfig.Gateway same =
        new SeckillConfig.Gateway(
            base.host(),
            18_080,
            base.adminHost(),
            18_080,
            1,
            64,
            4_096,
            600,
            60_000,
            500,
            List.of(),
            List.of(),
            false,
            32,
            3,
            15_000,
            2_000,
            5_000);
    assertThatThrownBy(() -> RunningGateway.start(same, TestConfigs.admission()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("gateway.adminPort");
  }

  @Test
  void VX_03_aStopShouldFinishThePurchaseInFlight() throws Exception {
    RunningGateway stopping = RunningGateway.start();
    try (RawHttp http = RawHttp.connect(stopping.publicPort())) {
      java.util.concurrent.CountDownLatch asked = new java.util.concurrent.CountDownLatch(1);
      java.util.concurrent.CountDownLatch answer = new java.util.concurrent.CountDownLatch(1);
      stopping.engine(
          request -> {
            asked.countDown();
            awaitQuietly(answer);
            return PurchaseReply.accepted(ORDER, 1);
          });
      http.send(stopping.purchase("vip", "", "{\"quantity\":1}"));
      asked.await();
      List<io.vertx.core.Future<Void>> stops =
          stopping.vertx().deploymentIDs().stream().map(stopping.vertx()::undeploy).toList();
      answer.countDown();
      assertThat(http.read().status()).isEqualTo(202);
      RunningGateway.await(io.vertx.core.Future.all(stops).mapEmpty());
      assertThat(http.isClosedByServer()).isTrue();
    } finally {
      stopping.close();
    }
  }

  private static void awaitQuietly(java.util.concurrent.CountDownLatch latch) {
    try {
      latch.await(5, java.util.concurrent.TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- helpers ----

  /** A gateway that gives nobody much time. */
  private static RunningGateway hasty() throws Exception {
    return RunningGateway.start(TestConfigs.hasty(), TestConfigs.admission());
  }

  private static Response call(String request) throws IOException {
    return RawHttp.once(gateway.publicPort(), request);
  }

  private static Response admin(String path, String headers, String body) throws IOException {
    return RawHttp.once(
        gateway.adminPort(),
        post(
            path,
            "Authorization: Bearer "
                + gateway.adminToken()
                + "\r\n"
                + (body.isEmpty() ? "" : "Content-Type: application/json\r\n")
                + headers,
            body));
  }

  /** The head of a purchase. */
  private static String head(String... headers) {
    return "POST /api/v1/items/1/purchases HTTP/1.1\r\nHost: x\r\n"
        + String.join("\r\n", headers)
        + "\r\n\r\n";
  }

  private static String bearer(String user) {
    return "Authorization: Bearer " + gateway.token(user) + "\r\n";
  }

  static JsonNode problem(Response response, ErrorCode code) throws IOException {
    assertThat(response).as(code.name()).isNotNull();
    assertThat(response.status()).as(response.body()).isEqualTo(code.httpStatus());
    assertThat(response.header("content-type")).isEqualTo("application/problem+json");
    JsonNode problem = JSON.readTree(response.body());
    assertThat(problem.path("code").asText()).isEqualTo(code.name());
    assertThat(problem.path("status").asInt()).isEqualTo(code.httpStatus());
    assertThat(problem.path("type").asText()).isEqualTo("urn:seckill:error:" + code.name());
    assertThat(problem.path("detail").asText()).isNotEmpty();
    if (response.status() == 429 || response.status() == 503) {
      assertThat(Integer.parseInt(response.header("retry-after"))).isPositive();
    }
    return problem;
  }
}

package io.seckill.gateway;

import static io.seckill.gateway.GatewayIT.problem;
import static io.seckill.gateway.RunningGateway.get;
import static io.seckill.gateway.RunningGateway.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.seckill.common.error.ErrorCode;
import io.seckill.gateway.RawHttp.Response;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The line for an item, and how often one may ask, over real sockets. */
class WaitlistRoutesIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LINE = "/api/v1/items/1/waitlist";
  private static final String JSON_TYPE = "Content-Type: application/json\r\n";

  private static RunningGateway gateway;
  private static FakeLedger ledger;

  @BeforeAll
  static void start() throws Exception {
    gateway = RunningGateway.start();
    ledger = new FakeLedger(gateway.vertx());
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @BeforeEach
  void reset() {
    ledger.line();
    ledger.refuse(null);
  }

  @Test
  void whoJoinsShouldBeToldHisPlaceAndKeepIt() throws Exception {
    ledger.line("bob");
    shouldBe(201, 2, 2, call(post(LINE, bearer("ann"), "")));
    shouldBe(200, 2, 2, call(post(LINE, bearer("ann") + JSON_TYPE, "{}")));
    shouldBe(200, 2, 2, call(get(LINE, bearer("ann"))));
    assertThat(call(delete("bob")).status()).isEqualTo(204);
    shouldBe(200, 1, 1, call(get(LINE, bearer("ann"))));
  }

  @Test
  void whoLeavesShouldHaveNoPlaceHoweverOftenHeLeaves() throws Exception {
    problem(call(get(LINE, bearer("ann"))), ErrorCode.NOT_FOUND);
    call(post(LINE, bearer("ann"), ""));
    for (int i = 0; i < 2; i++) {
      Response left = call(delete("ann"));
      assertThat(left.status()).isEqualTo(204);
      assertThat(left.body()).isEmpty();
    }
    problem(call(get(LINE, bearer("ann"))), ErrorCode.NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void everyRefusalOfTheEngineShouldBeAProblem(ErrorCode code) throws Exception {
    ledger.refuse(code);
    problem(call(post(LINE, bearer("ann"), "")), code);
    problem(call(get(LINE, bearer("ann"))), code);
    problem(call(delete("ann")), code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"quantity\":1}", "[]", "x", "{}{}"})
  void aBodyThatSaysSomethingShouldBeRefused(String body) throws Exception {
    problem(call(post(LINE, bearer("ann") + JSON_TYPE, body)), ErrorCode.INVALID_REQUEST);
  }

  @Test
  void withoutATokenThereShouldBeNoLine() throws Exception {
    problem(call(post(LINE, "", "")), ErrorCode.UNAUTHENTICATED);
    problem(call(get(LINE, "")), ErrorCode.UNAUTHENTICATED);
    problem(call("DELETE " + LINE + " HTTP/1.1\r\nHost: x\r\n\r\n"), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void anItemThatIsNotThereShouldHaveNoLine() throws Exception {
    String unknown = "/api/v1/items/99/waitlist";
    problem(call(post(unknown, bearer("ann"), "")), ErrorCode.NOT_FOUND);
    problem(call(get(unknown, bearer("ann"))), ErrorCode.NOT_FOUND);
    problem(call(get("/api/v1/items/x/waitlist", bearer("ann"))), ErrorCode.NOT_FOUND);
  }

  @Test
  void withoutAnEngineJoiningShouldBeUnavailable() throws Exception {
    try (RunningGateway alone = RunningGateway.start()) {
      String bearer = "Authorization: Bearer " + alone.token("ann") + "\r\n";
      // Nobody is there at all: then nothing can have happened.
      problem(RawHttp.once(alone.publicPort(), post(LINE, bearer, "")), ErrorCode.UNAVAILABLE);
    }
  }

  @Test
  void OL_03_whoAsksTooOftenShouldWaitAndStillBeAbleToBuy() throws Exception {
    try (RunningGateway strict =
        RunningGateway.start(TestConfigs.gateway(), TestConfigs.polls(1, 5))) {
      String bearer = "Authorization: Bearer " + strict.token("ann") + "\r\n";
      String order = get("/api/v1/orders/" + RunningGateway.ORDER, bearer);
      int passed = 0;
      long start = System.nanoTime();
      try (RawHttp http = RawHttp.connect(strict.publicPort())) {
        for (int i = 0; i < 20; i++) {
          Response response = http.send(i % 2 == 0 ? order : get("/api/v1/orders", bearer)).read();
          if (response.status() == 200) {
            passed++;
          } else {
            problem(response, ErrorCode.RATE_LIMITED);
            assertThat(response.header("retry-after")).isEqualTo("1");
          }
        }
      }
      // On a slow machine tokens have come meanwhile.
      int seconds = (int) ((System.nanoTime() - start) / 1_000_000_000L) + 1;
      assertThat(passed).isBetween(5, 5 + seconds);
      assertThat(strict.refused("poll_rate", ErrorCode.RATE_LIMITED)).isEqualTo(20 - passed);
      assertThat(
              RawHttp.once(strict.publicPort(), strict.purchase("ann", "", "{\"quantity\":1}"))
                  .status())
          .isEqualTo(202);
      String bob = "Authorization: Bearer " + strict.token("bob") + "\r\n";
      assertThat(RawHttp.once(strict.publicPort(), get("/api/v1/orders", bob)).status())
          .isEqualTo(200);
    }
  }

  // ---- helpers ----

  private static void shouldBe(int status, int place, int waiting, Response response)
      throws IOException {
    assertThat(response.status()).as(response.body()).isEqualTo(status);
    JsonNode body = JSON.readTree(response.body());
    assertThat(body.path("itemId").asText()).isEqualTo("1");
    assertThat(body.path("place").asInt()).isEqualTo(place);
    assertThat(body.path("waiting").asInt()).isEqualTo(waiting);
  }

  private static Response call(String request) throws IOException {
    return RawHttp.once(gateway.publicPort(), request);
  }

  private static String delete(String user) {
    return "DELETE " + LINE + " HTTP/1.1\r\nHost: x\r\n" + bearer(user) + "\r\n";
  }

  private static String bearer(String user) {
    return "Authorization: Bearer " + gateway.token(user) + "\r\n";
  }
}

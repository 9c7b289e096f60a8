package io.seckill.gateway;

import static io.seckill.gateway.GatewayIT.problem;
import static io.seckill.gateway.RunningGateway.LETTER;
import static io.seckill.gateway.RunningGateway.ORDER;
import static io.seckill.gateway.RunningGateway.PAYLOAD;
import static io.seckill.gateway.RunningGateway.get;
import static io.seckill.gateway.RunningGateway.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.seckill.common.bus.DeadLetterChange;
import io.seckill.common.bus.DeadLettersQuery;
import io.seckill.common.error.ErrorCode;
import io.seckill.common.order.LetterState;
import io.seckill.gateway.RawHttp.Response;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators see of dead letters and do to them, over real sockets. */
class DeadLetterRoutesIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LETTERS = "/api/v1/admin/dead-letters";

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
  }

  private static String operator() {
    return "Authorization: Bearer " + gateway.adminToken() + "\r\n";
  }

  private static Response call(String request) throws Exception {
    return RawHttp.once(gateway.adminPort(), request);
  }

  @Test
  void lettersShouldBeListedPageByPage() throws Exception {
    Response response = call(get(LETTERS, operator()));
    assertThat(response.status()).isEqualTo(200);
    JsonNode page = JSON.readTree(response.body());
    assertThat(page.path("next").asText()).isEqualTo(LETTER.toString());
    JsonNode letter = page.path("deadLetters").path(0);
    assertThat(letter.path("id").asText()).isEqualTo("3:0:1:4");
    assertThat(letter.path("state").asText()).isEqualTo("OPEN");
    assertThat(letter.path("units").path(0).path("units").asInt()).isEqualTo(2);
    assertThat(letter.has("payload")).isFalse();
    assertThat(letter.has("closedAt")).isFalse();
    assertThat(gateway.changes()).containsExactly(new DeadLettersQuery(LetterState.OPEN, null, 20));
    gateway.changes().clear();

    call(get(LETTERS + "?state=ALL&after=3:0:1:18446744073709551615&limit=7", operator()));

    assertThat(gateway.changes().peek())
        .asString()
        .contains("state=null")
        .contains("3:0:1:18446744073709551615")
        .contains("limit=7");
  }

  @ParameterizedTest
  @ValueSource(strings = {"state=NO", "after=1", "limit=0", "limit=101", "x=1"})
  void whatCannotBeAPageShouldBeRefused(String query) throws Exception {
    problem(call(get(LETTERS + "?" + query, operator())), ErrorCode.INVALID_REQUEST);
  }

  @Test
  void letterShouldBeShownWithWhatItSays() throws Exception {
    Response response = call(get(LETTERS + "/" + LETTER, operator()));
    assertThat(response.status()).isEqualTo(200);
    JsonNode letter = JSON.readTree(response.body());
    assertThat(letter.path("payload").asText()).isEqualTo(PAYLOAD);
    assertThat(letter.path("orderId").asText()).isEqualTo(ORDER.value());
    assertThat(letter.path("user").asText()).isEqualTo("ann");
  }

  @ParameterizedTest
  @EnumSource(DeadLetterChange.Action.class)
  void changeShouldCarryWhoAsksAndItsId(DeadLetterChange.Action action) throws Exception {
    String path = LETTERS + "/" + LETTER + "/" + action.name().toLowerCase(Locale.ROOT);
    Response response = call(post(path, operator() + "Idempotency-Key: k1\r\n", ""));

    assertThat(response.status()).isEqualTo(200);
    assertThat(JSON.readTree(response.body()).path("state").asText()).isEqualTo("SETTLING");
    assertThat(gateway.changes()).hasSize(1);
    DeadLetterChange change = (DeadLetterChange) gateway.changes().remove();
    assertThat(change.requestId()).isEqualTo("k1");
    assertThat(change.actor()).isNotBlank();
    assertThat(change.id()).isEqualTo(LETTER);
    assertThat(change.action()).isEqualTo(action);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3:0:1:5", "3:0:1", "x", "3:0:1:99999999999999999999", "..", "%00"})
  void whatIsNoLetterShouldNotBeThere(String id) throws Exception {
    problem(call(get(LETTERS + "/" + id, operator())), ErrorCode.NOT_FOUND);
    problem(call(post(LETTERS + "/" + id + "/settle", operator(), "")), ErrorCode.NOT_FOUND);
  }

  @Test
  void AU_04_lettersShouldBeForOperatorsOnly() throws Exception {
    problem(call(get(LETTERS, "")), ErrorCode.UNAUTHENTICATED);
    String buyer = "Authorization: Bearer " + gateway.token("ann") + "\r\n";
    problem(call(get(LETTERS, buyer)), ErrorCode.FORBIDDEN);
    problem(call(post(LETTERS + "/" + LETTER + "/settle", buyer, "")), ErrorCode.FORBIDDEN);
    assertThat(gateway.changes()).isEmpty();
  }
}

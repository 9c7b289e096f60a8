package io.seckill.launcher.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.error.ErrorCode;
import io.seckill.common.id.ItemId;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the crowd makes of what it is answered. */
class CrowdTest {

  private static Vertx load;

  private final AtomicInteger calls = new AtomicInteger();

  @BeforeAll
  static void open() {
    load = Vertx.vertx(LoadOptions.vertx());
  }

  @AfterAll
  static void close() {
    ScriptedShop.await(load.close());
  }

  @Test
  void runShouldCountWhatAnHonestShopAnswers() {
    // A shop with 20 units and one order for each user: the same id again for every repeat.
    Map<String, String> orders = new ConcurrentHashMap<>();
    Set<String> addresses = ConcurrentHashMap.newKeySet();
    CrowdRecord record =
        play(
            new CrowdSize(50, 200, 1),
            8,
            (request, body) -> {
              addresses.add(request.getHeader("X-Forwarded-For"));
              String user = request.getHeader("Authorization");
              String key = user + request.getHeader("Idempotency-Key");
              if (orders.containsKey(key)) {
                ScriptedShop.win(request, 200, orders.get(key));
              } else if (orders.keySet().stream().anyMatch(k -> k.startsWith(user))) {
                ScriptedShop.refuse(request, 409, "LIMIT_REACHED");
              } else if (orders.size() == 20) {
                ScriptedShop.refuse(request, 409, "SOLD_OUT");
              } else {
                orders.put(key, ScriptedShop.orderId(orders.size() + 1));
                ScriptedShop.win(request, 202, orders.get(key));
              }
            });

    assertThat(record.errors().samples()).isEmpty();
    assertThat(record.errors().total()).isZero();
    assertThat(record.wins()).hasSize(20);
    assertThat(record.requests()).isEqualTo(200);
    assertThat(total(record)).isEqualTo(200);
    assertThat(record.pace().answers()).isEqualTo(200);
    assertThat(record.pace().answersPerSecond()).isPositive();
    assertThat(record.shortages()).hasSize(30);
    assertThat(addresses).hasSize(50);
  }

  @Test
  void runShouldFollowBusyAndThenTellIt() {
    CrowdRecord record =
        play(
            new CrowdSize(1, 1, 1),
            1,
            (request, body) -> {
              if (calls.incrementAndGet() == 1) {
                ScriptedShop.refuse(request, 503, "BUSY");
              } else {
                ScriptedShop.win(request, 202, ScriptedShop.orderId(1));
              }
            });

    assertThat(record.wins()).hasSize(1);
    assertThat(record.pace().answers()).isEqualTo(2);
    assertThat(record.errors().total()).isZero();
  }

  @Test
  void runShouldResolveAnUnknownOutcomeByOneRepeat() {
    CrowdRecord record =
        play(
            new CrowdSize(1, 1, 1),
            1,
            (request, body) -> {
              if (calls.incrementAndGet() == 1) {
                ScriptedShop.refuse(request, 503, "OUTCOME_UNKNOWN");
              } else {
                ScriptedShop.win(request, 200, ScriptedShop.orderId(1));
              }
            });

    assertThat(record.wins()).hasSize(1);
    assertThat(record.replayed()).isZero();
    assertThat(record.errors().total()).isZero();
    assertThat(record.pace().latencies().max()).as("from the first send").isGreaterThan(900);
  }

  @Test
  void runShouldCountAnOutcomeThatStaysUnknown() {
    CrowdRecord record =
        play(
            new CrowdSize(1, 1, 1),
            1,
            (request, body) -> ScriptedShop.refuse(request, 503, "OUTCOME_UNKNOWN"));

    assertThat(record.errors().unresolved()).isEqualTo(1);
    assertThat(record.failed()).isEqualTo(1);
  }

  @Test
  void runShouldRepeatOnceWithTheSameKeyWhenTheConnectionBreaks() {
    Set<String> keys = ConcurrentHashMap.newKeySet();
    CrowdRecord record =
        play(
            new CrowdSize(1, 1, 1),
            1,
            (request, body) -> {
              keys.add(String.valueOf(request.getHeader("Idempotency-Key")));
              if (calls.incrementAndGet() == 1) {
                request.connection().close();
              } else {
                ScriptedShop.win(request, 200, ScriptedShop.orderId(1));
              }
            });

    assertThat(record.wins()).hasSize(1);
    assertThat(record.errors().brokenSockets()).isEqualTo(1);
    assertThat(record.failed()).isZero();
    assertThat(keys).hasSize(1);
    assertThat(calls).hasValue(2);
  }

  @Test
  void runShouldGoOnWhenTheServerClosesAfterAnAnswer() {
    CrowdRecord record =
        play(
            new CrowdSize(20, 20, 1),
            2,
            (request, body) -> {
              request.response().putHeader("Connection", "close");
              ScriptedShop.refuse(request, 409, "SOLD_OUT");
            });

    assertThat(record.refused()).containsEntry(ErrorCode.SOLD_OUT, 20L);
    assertThat(record.errors().total()).isZero();
  }

  @Test
  void runShouldTakeOneUnitWhenThereAreTooFewForMore() {
    CrowdRecord record =
        play(
            new CrowdSize(30, 30, 5),
            4,
            (request, body) -> {
              if (body.toString().equals("{\"quantity\":1}")) {
                ScriptedShop.win(request, 202, ScriptedShop.orderId(calls.incrementAndGet()));
              } else {
                ScriptedShop.refuse(request, 409, "INSUFFICIENT_STOCK");
              }
            });

    assertThat(record.wins()).hasSize(30).allMatch(win -> win.quantity() == 1);
    assertThat(record.pace().answers()).isGreaterThan(30);
    assertThat(record.errors().total()).isZero();
  }

  @Test
  void runShouldCountAnAnswerWithoutStableCodeAsServerFailure() {
    CrowdRecord record =
        play(
            new CrowdSize(3, 3, 1),
            1,
            (request, body) -> request.response().setStatusCode(500).end("Internal Server Error"));

    assertThat(record.errors().serverFailures()).isEqualTo(3);
  }

  @Test
  void runShouldCountBodiesThatBreakTheContract() {
    String[] bodies = {
      "",
      "{}",
      "[]",
      "null",
      "{\"orderId\":\"short\",\"status\":\"ACCEPTED\"}",
      "{\"orderId\":" + ScriptedShop.orderId(1) + ",\"status\":\"ACCEPTED\"}",
      "{\"orderId\":\"" + ScriptedShop.orderId(2) + "\",\"status\":\"PAID\"}",
    };
    CrowdRecord record =
        play(
            new CrowdSize(bodies.length, bodies.length, 1),
            1,
            (request, body) ->
                request
                    .response()
                    .setStatusCode(202)
                    .end(bodies[calls.getAndIncrement() % bodies.length]));

    assertThat(record.errors().wrongAnswers()).isEqualTo(bodies.length);
    assertThat(record.wins()).isEmpty();
  }

  @Test
  void runShouldCountRefusalsThatBreakTheContract() {
    CrowdRecord record =
        play(
            new CrowdSize(4, 4, 1),
            1,
            (request, body) -> {
              switch (calls.getAndIncrement()) {
                case 0 -> ScriptedShop.refuse(request, 409, "NO_SUCH_CODE");
                case 1 -> ScriptedShop.refuse(request, 400, "SOLD_OUT");
                case 2 -> ScriptedShop.refuse(request, 401, "UNAUTHENTICATED");
                default -> withoutRetryAfter(request);
              }
            });

    assertThat(record.errors().wrongAnswers()).isEqualTo(4);
  }

  @Test
  void runShouldNoticeASecondOrderForTheSameKey() {
    CrowdRecord record =
        play(
            new CrowdSize(1, 100, 1),
            2,
            (request, body) ->
                ScriptedShop.win(request, 202, ScriptedShop.orderId(calls.incrementAndGet())));

    // One user whose style is drawn by the seed: with one key or none, all but one are wrong.
    assertThat(record.errors().wrongAnswers() + record.wins().size()).isEqualTo(100);
    assertThat(record.errors().wrongAnswers()).isEqualTo(99);
  }

  @Test
  void runShouldTellWinnersOnceAndLetThemBuyAnewWhereUnitsComeBack() {
    // Ten clicks of one buyer: a fresh order for each without a key, the same for a repeated key.
    Queue<AnsweredWin> told = new ConcurrentLinkedQueue<>();
    Map<String, String> byKey = new ConcurrentHashMap<>();
    AtomicInteger orders = new AtomicInteger();
    try (ScriptedShop shop =
        new ScriptedShop(
            (request, body) -> {
              String key = request.getHeader("Idempotency-Key");
              String fresh = ScriptedShop.orderId(orders.incrementAndGet());
              String known = key == null ? null : byKey.putIfAbsent(key + user(request), fresh);
              ScriptedShop.win(request, known == null ? 202 : 200, known == null ? fresh : known);
            })) {
      CrowdRules rules =
          new CrowdRules(shop.address(), 1, Duration.ofSeconds(15), Duration.ofSeconds(20));
      CrowdRecord record = play(new CrowdSize(10, 100, 1), rules.with(told::add));

      assertThat(record.errors().samples()).isEmpty();
      assertThat(record.wins()).containsExactlyInAnyOrderElementsOf(told);
      assertThat(record.wins().size() + record.replayed()).isEqualTo(100);
      assertThat(record.replayed()).isPositive();
    }
  }

  private static String user(HttpServerRequest request) {
    return request.getHeader("Authorization");
  }

  @Test
  void runShouldNoticeOneOrderForTwoBuyers() {
    CrowdRecord record =
        play(
            new CrowdSize(5, 5, 1),
            1,
            (request, body) -> ScriptedShop.win(request, 202, ScriptedShop.orderId(1)));

    assertThat(record.wins()).hasSize(1);
    assertThat(record.errors().wrongAnswers()).isEqualTo(4);
  }

  @Test
  void runShouldNoticeALimitThatWasNotReached() {
    CrowdRecord record =
        play(
            new CrowdSize(3, 3, 1),
            1,
            (request, body) -> ScriptedShop.refuse(request, 409, "LIMIT_REACHED"));

    assertThat(record.errors().wrongAnswers()).isEqualTo(3);
  }

  @Test
  void runShouldEndAlthoughTheServerNeverAnswers() {
    CrowdRules rules;
    try (ScriptedShop shop = new ScriptedShop((request, body) -> calls.incrementAndGet())) {
      rules = new CrowdRules(shop.address(), 2, Duration.ofMillis(200), Duration.ofMillis(400));
      CrowdRecord record = play(new CrowdSize(5, 5, 1), rules);
      assertThat(record.errors().unanswered()).isEqualTo(2);
      assertThat(record.requests()).isEqualTo(2);
    }
  }

  private static void withoutRetryAfter(HttpServerRequest request) {
    request.response().setStatusCode(429).end("{\"status\":429,\"code\":\"RATE_LIMITED\"}");
  }

  private static long total(CrowdRecord record) {
    return record.wins().size()
        + record.replayed()
        + record.failed()
        + record.refused().values().stream().mapToLong(Long::longValue).sum();
  }

  private static CrowdRecord play(CrowdSize size, int connections, ScriptedShop.Script script) {
    try (ScriptedShop shop = new ScriptedShop(script)) {
      return play(
          size,
          new CrowdRules(
              shop.address(), connections, Duration.ofSeconds(15), Duration.ofSeconds(20)));
    }
  }

  private static CrowdRecord play(CrowdSize size, CrowdRules rules) {
    CrowdPlan plan = CrowdPlan.draw("buyer", size, 1);
    CrowdPeople people = CrowdPeople.signIn(plan, 0, user -> "token-" + user + ".");
    return ScriptedShop.await(new Crowd(load, plan, people, new ItemId(1), rules).run());
  }
}

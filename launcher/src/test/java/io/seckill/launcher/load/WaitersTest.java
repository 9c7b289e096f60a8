package io.seckill.launcher.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.testkit.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitersTest {

  private static final Duration BOUND = Duration.ofSeconds(20);
  private static final ItemId ITEM = new ItemId(7);

  private final Map<String, Integer> asked = new ConcurrentHashMap<>();
  private final Queue<AnsweredWin> toPay = new ConcurrentLinkedQueue<>();

  @Test
  void openShouldWaitUntilTheTurnComesAndBuyWhereUnitsAreLeft() throws Exception {
    Vertx load = Vertx.vertx(LoadOptions.vertx());
    try (ScriptedShop shop = new ScriptedShop((request, body) -> answer(request))) {
      CrowdPlan plan = CrowdPlan.draw("buyer", new CrowdSize(10, 10, 1), 1);
      CrowdPeople people = CrowdPeople.signIn(plan, 0, user -> user.value());
      CrowdRules rules = new CrowdRules(shop.address(), 2, BOUND, BOUND).with(toPay::add);
      Waiters waiters =
          ScriptedShop.await(
              Waiters.open(
                  load,
                  people,
                  rules,
                  new Waiters.Line(ITEM, 100, Duration.ofMillis(100)),
                  List.of(new AnsweredWin(2, 1, order(20))),
                  IntStream.rangeClosed(1, 5)
                      .mapToObj(buyer -> new CrowdRecord.Shortage(buyer, 1))
                      .toList()));
      Await.until(BOUND, "all but the one who waits are done", () -> waiters.open() == 1);

      Waiters.Outcome outcome = ScriptedShop.await(waiters.close(BOUND));

      assertThat(outcome.joined()).isEqualTo(3);
      assertThat(outcome.promoted()).isEqualTo(2);
      assertThat(outcome.wins())
          .containsExactlyInAnyOrder(
              new AnsweredWin(1, 1, order(1)),
              new AnsweredWin(2, 1, order(2)),
              new AnsweredWin(3, 1, order(3)));
      assertThat(toPay)
          .as("2 heard of it when its time was over")
          .extracting(AnsweredWin::buyer)
          .containsExactlyInAnyOrder(1, 3);
      assertThat(outcome.stillWanting()).containsExactly(new CrowdRecord.Shortage(4, 1));
      assertThat(outcome.errors().total()).isEqualTo(1);
      assertThat(outcome.errors().samples()).singleElement().asString().contains("buyer 5", "500");
    } finally {
      ScriptedShop.await(load.close());
    }
  }

  @Test
  void openShouldComeAgainNoSoonerThanTheShopSays() throws Exception {
    Queue<Long> joinsNs = new ConcurrentLinkedQueue<>();
    Vertx load = Vertx.vertx(LoadOptions.vertx());
    try (ScriptedShop shop =
        new ScriptedShop(
            (request, body) -> {
              joinsNs.add(System.nanoTime());
              if (joinsNs.size() == 1) {
                request.response().putHeader("Retry-After", "2").setStatusCode(503).end("{}");
              } else {
                ScriptedShop.win(request, 200, order(1).value());
              }
            })) {
      CrowdPlan plan = CrowdPlan.draw("buyer", new CrowdSize(10, 10, 1), 1);
      Waiters waiters =
          ScriptedShop.await(
              Waiters.open(
                  load,
                  CrowdPeople.signIn(plan, 0, user -> user.value()),
                  new CrowdRules(shop.address(), 1, BOUND, BOUND),
                  new Waiters.Line(ITEM, 100, Duration.ofMillis(100)),
                  List.of(),
                  List.of(new CrowdRecord.Shortage(1, 1))));
      Await.until(BOUND, "he has come again", () -> joinsNs.size() >= 2);
      ScriptedShop.await(waiters.close(BOUND));
    } finally {
      ScriptedShop.await(load.close());
    }
    assertThat(Duration.ofNanos(-joinsNs.remove() + joinsNs.remove()))
        .isGreaterThanOrEqualTo(Duration.ofMillis(1_900));
  }

  /**
   * 1 waits and is promoted, his order is stored late; 2 as well, and it has run out when he looks;
   * 3 is told that units are left; 4 waits in vain, after a "not now"; 5 meets a broken server.
   */
  private void answer(HttpServerRequest request) {
    String token = request.getHeader("Authorization");
    int buyer = Integer.parseInt(token.substring(token.lastIndexOf('-') + 1));
    String what = request.method() + (request.path().endsWith("/waitlist") ? " place" : "");
    int nth = asked.merge(buyer + what, 1, Integer::sum);
    if (request.path().endsWith("/purchases")) {
      ScriptedShop.win(request, 202, order(buyer).value());
    } else if (request.path().endsWith("/orders")) {
      orders(request, buyer, nth);
    } else if (buyer == 5) {
      request.response().setStatusCode(500).end("broken");
    } else if (buyer == 3) {
      ScriptedShop.refuse(request, 409, "NOT_SOLD_OUT");
    } else if (buyer == 4 && nth == 1) {
      ScriptedShop.refuse(request, 503, "BUSY");
    } else if (what.startsWith("DELETE")) {
      request.response().setStatusCode(204).end();
    } else if (what.startsWith("GET") && buyer < 3 && nth == 3) {
      ScriptedShop.refuse(request, 404, "NOT_FOUND");
    } else {
      request
          .response()
          .setStatusCode(what.startsWith("POST") ? 201 : 200)
          .end("{\"itemId\":\"7\",\"place\":" + buyer + ",\"waiting\":4}");
    }
  }

  private static void orders(HttpServerRequest request, int buyer, int nth) {
    String known = entry(order(20), "CANCELLED", false);
    String fresh = entry(order(buyer), buyer == 1 ? "PENDING_PAYMENT" : "CANCELLED", true);
    request
        .response()
        .end("{\"orders\":[" + (buyer == 2 ? known + "," + fresh : nth < 3 ? "" : fresh) + "]}");
  }

  private static String entry(OrderId id, String status, boolean promoted) {
    return "{\"orderId\":\""
        + id
        + "\",\"status\":\""
        + status
        + "\",\"promoted\":"
        + promoted
        + ",\"lines\":[{\"itemId\":\"7\",\"quantity\":1}]}";
  }

  private static OrderId order(int number) {
    return new OrderId(ScriptedShop.orderId(number));
  }
}

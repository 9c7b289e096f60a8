package io.seckill.launcher.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.OrderId;
import io.seckill.testkit.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class PayersTest {

  private static final Duration BOUND = Duration.ofSeconds(20);

  private final Set<String> begun = ConcurrentHashMap.newKeySet();
  private final Queue<String> bodies = new ConcurrentLinkedQueue<>();

  @Test
  void wonShouldPayAsABrowserDoesAndCountWhatIsSeenPaid() throws Exception {
    Vertx load = Vertx.vertx(LoadOptions.vertx());
    try (ScriptedShop shop =
        new ScriptedShop(
            (request, body) -> {
              if (request.path().startsWith("/pay/")) {
                bodies.add(body.toString());
              }
              answer(request);
            })) {
      CrowdPlan plan = CrowdPlan.draw("buyer", new CrowdSize(10, 10, 3), 1);
      CrowdPeople people = CrowdPeople.signIn(plan, 0, user -> "token");
      CrowdRules rules = new CrowdRules(shop.address(), 2, BOUND, BOUND);
      Payers payers = ScriptedShop.await(Payers.open(load, people, rules, buyer -> buyer != 7));

      payers.won(new AnsweredWin(7, 1, order(7)));
      for (int i = 1; i <= 5; i++) {
        payers.won(new AnsweredWin(i, 2, order(i)));
      }
      Await.until(BOUND, "all are done", () -> payers.open() == 0);

      assertThat(payers.pays(7)).isFalse();
      assertThat(payers.paidOrders()).isEqualTo(2);
      assertThat(payers.paidUnits()).isEqualTo(4);
      assertThat(bodies).hasSize(3).containsOnly("outcome=pay");
      CrowdErrors errors = ScriptedShop.await(payers.close());
      assertThat(errors.total()).isEqualTo(1);
      assertThat(errors.samples()).singleElement().asString().contains(order(5).value(), "500");
    } finally {
      ScriptedShop.await(load.close());
    }
  }

  @Test
  void wonShouldFailAllWhenTheProviderCannotBeReached() throws Exception {
    int nobody;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = closed.getLocalPort();
    }
    Vertx load = Vertx.vertx(LoadOptions.vertx());
    String page = "http://127.0.0.1:" + nobody + "/pay/1";
    try (ScriptedShop shop =
        new ScriptedShop(
            (request, body) ->
                request.response().setStatusCode(201).end("{\"redirectUrl\":\"" + page + "\"}"))) {
      CrowdPlan plan = CrowdPlan.draw("buyer", new CrowdSize(10, 10, 3), 1);
      CrowdPeople people = CrowdPeople.signIn(plan, 0, user -> "token");
      CrowdRules rules = new CrowdRules(shop.address(), 2, BOUND, BOUND);
      Payers payers = ScriptedShop.await(Payers.open(load, people, rules, buyer -> true));

      for (int i = 1; i <= 3; i++) {
        payers.won(new AnsweredWin(i, 1, order(i)));
      }
      Await.until(BOUND, "all have failed", () -> payers.open() == 0);
      payers.won(new AnsweredWin(4, 1, order(4)));
      Await.until(BOUND, "and whoever comes later", () -> payers.open() == 0);

      CrowdErrors errors = ScriptedShop.await(payers.close());
      assertThat(errors.total()).isEqualTo(4);
      assertThat(errors.samples())
          .hasSize(4)
          .allSatisfy(sample -> assertThat(sample).contains("the provider cannot be reached"));
    } finally {
      ScriptedShop.await(load.close());
    }
  }

  /** 1 and 2 are paid, 2 after a wait; 3 runs out before it is begun, 4 after it was paid. */
  private void answer(HttpServerRequest request) {
    String path = request.path();
    int number =
        Integer.parseInt(path.replaceAll("[^0-9]", "").substring(path.contains("v1") ? 1 : 0));
    if (path.startsWith("/pay/")) {
      request.response().setStatusCode(303).putHeader("Location", path).end();
    } else if (request.method().equals(HttpMethod.GET)) {
      String status = number == 4 ? "CANCELLED" : "PAID";
      request.response().end("{\"status\":\"" + status + "\"}");
    } else if (number == 2 && begun.add(path)) {
      ScriptedShop.refuse(request, 503, "BUSY");
    } else if (number == 3) {
      ScriptedShop.refuse(request, 409, "CONFLICT");
    } else if (number == 5) {
      request.response().setStatusCode(500).end("broken");
    } else {
      String page = "http://" + request.authority() + "/pay/" + number;
      request.response().setStatusCode(201).end("{\"redirectUrl\":\"" + page + "\"}");
    }
  }

  private static OrderId order(int number) {
    return new OrderId(ScriptedShop.orderId(number));
  }
}

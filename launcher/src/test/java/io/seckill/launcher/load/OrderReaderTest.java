package io.seckill.launcher.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.OrderId;
import io.seckill.common.order.OrderStatus;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrderReaderTest {

  @Test
  void readAllShouldTellWhatIsThereAndWhatIsNot() {
    AtomicInteger busy = new AtomicInteger();
    StoredOrders stored =
        read(
            (request, body) -> {
              String id = request.path().substring("/api/v1/orders/".length());
              switch (Integer.parseInt(id)) {
                case 1 ->
                    request
                        .response()
                        .end(
                            ("{\"orderId\":\"%s\",\"status\":\"PENDING_PAYMENT\","
                                    + "\"lines\":[{\"itemId\":\"9\",\"quantity\":2}]}")
                                .formatted(id));
                case 2 ->
                    request
                        .response()
                        .end("{\"orderId\":\"%s\",\"status\":\"ACCEPTED\"}".formatted(id));
                case 3 -> ScriptedShop.refuse(request, 404, "NOT_FOUND");
                case 4 -> {
                  if (busy.incrementAndGet() == 1) {
                    ScriptedShop.refuse(request, 503, "UNAVAILABLE");
                  } else {
                    request
                        .response()
                        .end("{\"orderId\":\"%s\",\"status\":\"FAILED\"}".formatted(id));
                  }
                }
                default -> request.response().end("nonsense");
              }
            },
            5);

    assertThat(stored.found())
        .containsOnlyKeys(order(1), order(2), order(4))
        .containsEntry(
            order(1), new StoredOrder(order(1), OrderStatus.PENDING_PAYMENT, new ItemId(9), 2));
    assertThat(stored.found().get(order(2)).isStored()).isFalse();
    assertThat(stored.found().get(order(4)).isHeld()).isFalse();
    assertThat(stored.errors()).isEqualTo(1);
    assertThat(stored.samples()).hasSize(1);
  }

  @Test
  void readAllShouldEndAtOnceWithoutWins() {
    assertThat(read((request, body) -> request.response().end(), 0).found()).isEmpty();
  }

  private static OrderId order(int number) {
    return new OrderId(ScriptedShop.orderId(number));
  }

  private static StoredOrders read(ScriptedShop.Script script, int wins) {
    Vertx load = Vertx.vertx(LoadOptions.vertx());
    try (ScriptedShop shop = new ScriptedShop(script)) {
      CrowdPlan plan = CrowdPlan.draw("buyer", new CrowdSize(10, 10, 1), 1);
      CrowdPeople people = CrowdPeople.signIn(plan, 0, user -> "token");
      CrowdRules rules =
          new CrowdRules(shop.address(), 3, Duration.ofSeconds(10), Duration.ofSeconds(10));
      List<AnsweredWin> answered =
          IntStream.rangeClosed(1, wins).mapToObj(i -> new AnsweredWin(i, 1, order(i))).toList();
      return ScriptedShop.await(OrderReader.readAll(load, people, rules, answered));
    } finally {
      ScriptedShop.await(load.close());
    }
  }
}

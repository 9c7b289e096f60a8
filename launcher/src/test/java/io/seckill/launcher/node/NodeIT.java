package io.seckill.launcher.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.bus.Addresses;
import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.role.Role;
import io.seckill.consumer.db.Migrator;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.FreePorts;
import io.seckill.gateway.token.Identity;
import io.seckill.gateway.token.TokenSigner;
import io.seckill.launcher.Listener;
import io.seckill.launcher.Web;
import io.seckill.launcher.command.AdminClient;
import io.seckill.launcher.local.DemoSale;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Roles in nodes of their own on a clustered bus, all in this JVM and on loopback. */
class NodeIT {

  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final String ITEM = "7";

  private final Web web = new Web();
  private final EmbeddedRedis redis = TestRedis.start();
  private final MySqlAddress mysql = TestMariaDb.shared().newDatabase();
  private final int firstBusPort = FreePorts.choose();
  private final int secondBusPort = FreePorts.choose();
  private final int thirdBusPort = FreePorts.choose();

  @Test
  void nodesShouldSellTogetherOnAClusteredBus() throws Exception {
    SeckillConfig consumerConfig = config("consumer", firstBusPort, secondBusPort);
    migrate(consumerConfig.mysql());
    Node consumer = start(consumerConfig, Set.of(Role.CONSUMER));
    Node front = null;
    try {
      front =
          start(config("front", secondBusPort, firstBusPort), Set.of(Role.GATEWAY, Role.SECKILL));
      Await.result(BOUND, "the consumer", consumer.whenReady());
      Await.result(BOUND, "the front", front.whenReady());
      assertThat(consumer.ports().publicPort()).isZero();
      assertThat(front.health().checks()).containsOnlyKeys("roles", "shards", "board");
      assertThat(consumer.health().checks()).containsOnlyKeys("roles", "ledger");

      ItemId item =
          Await.result(
              BOUND,
              "the sale",
              new DemoSale(front.vertx().eventBus(), System.currentTimeMillis()).ensureOpen());
      buyOne(front, item);
    } finally {
      if (front != null) {
        Await.result(BOUND, "the end of the front", front.close());
        assertThat(front.ready()).isFalse();
      }
      Await.result(BOUND, "the end of the consumer", consumer.close());
    }
    assertThat(FreePorts.free(firstBusPort)).isTrue();
    assertThat(FreePorts.free(secondBusPort)).isTrue();
  }

  @Test
  void ST_09_everyNodeShouldSayWhatIsTrueSoonAfterAnotherSoldOutOrWasRestocked() throws Exception {
    SeckillConfig consumerConfig = config("consumer", firstBusPort, secondBusPort, thirdBusPort);
    migrate(consumerConfig.mysql());
    List<Node> nodes = new ArrayList<>();
    try {
      nodes.add(start(consumerConfig, Set.of(Role.CONSUMER)));
      Set<Role> front = Set.of(Role.GATEWAY, Role.SECKILL);
      nodes.add(start(config("west", secondBusPort, firstBusPort, thirdBusPort), front));
      nodes.add(start(config("east", thirdBusPort, firstBusPort, secondBusPort), front));
      for (Node node : nodes) {
        Await.result(BOUND, node.config().node().id(), node.whenReady());
      }
      List<Node> fronts = nodes.subList(1, 3);
      AdminClient admin = admin(fronts.get(0));
      admin.post("/api/v1/admin/items", newItem(2));
      admin.post("/api/v1/admin/items/" + ITEM + "/preheat", new JsonObject());
      eachNodeShouldSellWhatThereIs(fronts, "first", Duration.ofSeconds(2));
      admin.post("/api/v1/admin/items/" + ITEM + "/restock", new JsonObject().put("units", 2));
      eachNodeShouldSellWhatThereIs(fronts, "second", Duration.ofSeconds(2));

      nodes.forEach(NodeIT::losePublications);
      admin.post("/api/v1/admin/items/" + ITEM + "/restock", new JsonObject().put("units", 2));
      eachNodeShouldSellWhatThereIs(fronts, "third", Duration.ofSeconds(3));
    } finally {
      for (int i = nodes.size() - 1; i >= 0; i--) {
        Await.result(BOUND, "the end of a node", nodes.get(i).close());
      }
    }
  }

  /**
   * There are as many units as nodes; each sells one, and its buyer hears of it at the other. Then
   * all of them say that it was the last.
   */
  private void eachNodeShouldSellWhatThereIs(List<Node> fronts, String round, Duration bound)
      throws Exception {
    for (Node node : fronts) {
      Await.kept(bound, "not sold out on " + node.config().node().id(), () -> !isSoldOut(node));
    }
    Map<Node, String> won = new HashMap<>();
    for (Node node : fronts) {
      String buyer = round + "-" + node.config().node().id();
      Node other = fronts.get(1 - fronts.indexOf(node));
      try (Listener page = Listener.open(shop(other), token(other, buyer), ITEM, "")) {
        Await.kept(
            bound,
            buyer + " wins",
            () -> {
              Web.Answer answer = buy(node, buyer);
              won.put(node, answer.json().getString("orderId"));
              return answer.status() == 202 || answer.status() == 200;
            });
        Await.until(
            BOUND,
            buyer + " hears of his order at another gateway",
            () -> page.heard("order", "orderId", won.get(node)));
      }
    }
    for (Node node : fronts) {
      String late = round + "-late-" + node.config().node().id();
      Await.kept(
          bound,
          "sold out for " + late,
          () -> "SOLD_OUT".equals(buy(node, late).json().getString("code")));
      Await.kept(bound, "sold out on " + node.config().node().id(), () -> isSoldOut(node));
    }
    // Whoever won is told of his order wherever he asks, never that it is sold out.
    for (Node winners : fronts) {
      for (Node asked : fronts) {
        String winner = round + "-" + winners.config().node().id();
        Web.Answer again = Web.patiently(BOUND, () -> buy(asked, winner));
        assertThat(again.status()).as(again.body()).isEqualTo(200);
        assertThat(again.json().getString("orderId")).isEqualTo(won.get(winners));
      }
    }
  }

  private static void losePublications(Node node) {
    node.vertx()
        .eventBus()
        .addOutboundInterceptor(
            delivery -> {
              String address = delivery.message().address();
              if (!address.equals(Addresses.BOARD) && !address.equals(Addresses.ORDER_EVENTS)) {
                delivery.next();
              }
            });
  }

  private boolean isSoldOut(Node node) throws Exception {
    return web.get(shop(node) + "/api/v1/items/" + ITEM, "").json().getBoolean("soldOut");
  }

  private Web.Answer buy(Node node, String user) throws Exception {
    return web.buy(shop(node), token(node, user), ITEM, "click");
  }

  private static AdminClient admin(Node node) {
    return new AdminClient(
        "http://127.0.0.1:" + node.ports().adminPort(), token(node, "ops", Identity.ADMIN));
  }

  private static JsonObject newItem(long stock) {
    return new JsonObject()
        .put("itemId", ITEM)
        .put("name", "phone")
        .put("priceMinor", 100)
        .put("currency", "CNY")
        .put("startsAt", "2020-01-01T00:00:00Z")
        .put("endsAt", "2120-01-01T00:00:00Z")
        .put("stock", stock);
  }

  private static String shop(Node node) {
    return "http://127.0.0.1:" + node.ports().publicPort();
  }

  private static String token(Node node, String user, String... roles) {
    return new TokenSigner(node.config().jwt(), System::currentTimeMillis)
        .sign(UserId.of(user), Set.of(roles), Duration.ofHours(1))
        .text();
  }

  private void buyOne(Node front, ItemId item) throws Exception {
    String shop = shop(front);
    String token = token(front, "bob");
    Await.until(
        BOUND,
        "the item is on the board",
        () -> web.get(shop + "/api/v1/items/" + item, "").status() == 200);
    // The shards may not be open to every batcher yet.
    Web.Answer bought = Web.patiently(BOUND, () -> web.buy(shop, token, item.toString(), "k1"));
    assertThat(bought.status()).as(bought.body()).isIn(200, 202);
    String order = bought.json().getString("orderId");
    Await.until(
        BOUND,
        "the order is stored",
        () ->
            web.get(shop + "/api/v1/orders/" + order, token)
                .json()
                .getString("status")
                .equals("PENDING_PAYMENT"));
  }

  private static Node start(SeckillConfig config, Set<Role> roles) throws Exception {
    return Await.result(
        BOUND, "node " + config.node().id(), Node.start(config, roles, NodeOptions.defaults()));
  }

  private static void migrate(SeckillConfig.MySql config) throws Exception {
    VertxRuntime runtime = VertxRuntime.local();
    try {
      Await.result(BOUND, "the migrations", new Migrator(runtime.vertx(), config).migrate());
    } finally {
      Await.result(BOUND, "the end of Vert.x", runtime.close());
    }
  }

  private SeckillConfig config(String id, int busPort, int... otherBusPorts) {
    Map<String, String> values = new HashMap<>();
    values.put("node.id", id);
    values.put("redis.uri", TestRedis.address(redis).uri());
    values.put("mysql.host", mysql.host());
    values.put("mysql.port", Integer.toString(mysql.port()));
    values.put("mysql.database", mysql.database());
    values.put("mysql.user", mysql.user());
    values.put("mysql.password", mysql.password());
    values.put("jwt.secret", "0123456789abcdef0123456789abcdef");
    values.put("orderId.key", "0123456789abcdef0123456789abcdef");
    values.put("gateway.host", "127.0.0.1");
    values.put("gateway.publicPort", "0");
    values.put("gateway.adminPort", "0");
    values.put("management.port", "0");
    values.put("bus.clustered", "true");
    values.put("bus.port", Integer.toString(busPort));
    values.put(
        "bus.members",
        Arrays.stream(otherBusPorts)
            .mapToObj(port -> "127.0.0.1:" + port)
            .collect(Collectors.joining(",")));
    values.put("admission.ipPerSecond", "100000");
    values.put("admission.ipBurst", "100000");
    values.put("admission.userPerWindow", "32");
    values.put("redis.shards", "4");
    return ConfigLoader.ofNothing().withOverrides(values).load().config();
  }
}

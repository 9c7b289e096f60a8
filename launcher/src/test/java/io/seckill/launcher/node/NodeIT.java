package io.seckill.launcher.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.common.role.Role;
import io.seckill.consumer.db.Migrator;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.FreePorts;
import io.seckill.gateway.token.TokenSigner;
import io.seckill.launcher.Web;
import io.seckill.launcher.local.DemoSale;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Roles in nodes of their own on a clustered bus, all in this JVM and on loopback. */
class NodeIT {

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final Web web = new Web();
  private final EmbeddedRedis redis = TestRedis.start();
  private final MySqlAddress mysql = TestMariaDb.shared().newDatabase();
  private final int firstBusPort = FreePorts.choose();
  private final int secondBusPort = FreePorts.choose();

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

  private void buyOne(Node front, ItemId item) throws Exception {
    String shop = "http://127.0.0.1:" + front.ports().publicPort();
    String token =
        new TokenSigner(front.config().jwt(), System::currentTimeMillis)
            .sign(UserId.of("bob"), Set.of(), Duration.ofHours(1))
            .text();
    Await.until(
        BOUND,
        "the item is on the board",
        () -> web.get(shop + "/api/v1/items/" + item, "").status() == 200);
    Web.Answer bought = web.buy(shop, token, item.toString(), "k1");
    assertThat(bought.status()).as(bought.body()).isEqualTo(202);
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

  private SeckillConfig config(String id, int busPort, int otherBusPort) {
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
    values.put("bus.members", "127.0.0.1:" + otherBusPort);
    return ConfigLoader.ofNothing().withOverrides(values).load().config();
  }
}

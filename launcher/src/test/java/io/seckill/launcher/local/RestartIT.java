package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.common.config.ConfigLoader;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.launcher.Web;
import io.seckill.lua.RedisKeys;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local system that stops and starts again on its data. */
class RestartIT {

  private static final Duration BOUND = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private final Web web = new Web();
  private final MySqlAddress mysql = TestMariaDb.shared().newDatabase();

  @Test
  void RF_02_restartShouldKeepWhatWasSoldUnderANewEpoch() throws Exception {
    String item;
    String order;
    long epoch;
    String token;
    try (LocalStack stack = LocalStack.start(options())) {
      item = demoSale(stack).toString();
      token = token(stack);
      Web.Answer bought = web.buy(stack.runInfo().publicUrl(), token, item, "k1");
      assertThat(bought.status()).as(bought.body()).isEqualTo(202);
      order = bought.json().getString("orderId");
      epoch = epoch(stack);
      // The engine appends to the file each second; a kill within it is another test.
    }
    assertThat(folder.resolve("data/redis")).isDirectory();

    try (LocalStack stack = LocalStack.start(options())) {
      assertThat(epoch(stack)).isEqualTo(epoch + 1);
      assertThat(demoSale(stack)).hasToString(item);
      String shop = stack.runInfo().publicUrl();
      Web.Answer replayed = web.buy(shop, token, item, "k1");
      assertThat(replayed.status()).as(replayed.body()).isEqualTo(200);
      assertThat(replayed.json().getString("orderId")).isEqualTo(order);
      Web.Answer second = web.buy(shop, token, item, "k2");
      assertThat(second.json().getString("code")).isEqualTo("LIMIT_REACHED");
      Await.until(
          BOUND,
          "the board shows what is left",
          () -> web.get(shop + "/api/v1/items/" + item, "").json().getLong("remaining") == 9_999);
      JsonArray orders = web.get(shop + "/api/v1/orders", token).json().getJsonArray("orders");
      assertThat(orders).hasSize(1);
    }
  }

  @Test
  void startShouldRefuseAFolderThatAnotherSystemUses() {
    try (LocalStack first = LocalStack.start(options())) {
      assertThat(first.node().ready()).isTrue();
      assertThatThrownBy(() -> LocalStack.start(options()))
          .hasMessageContaining("in use by another server");
    }
  }

  @Test
  void closeShouldDeleteWhatIsNotToBeKept() throws IOException {
    Path temporary = folder.resolve("temporary");
    EmbeddedRedis redis;
    try (LocalStack stack = LocalStack.start(options(temporary).thrownAway())) {
      redis = stack.redis().orElseThrow();
      assertThat(temporary.resolve("secrets.json")).exists();
    }
    assertThat(temporary).doesNotExist();
    assertThat(redis.running()).isFalse();

    Files.createDirectories(temporary);
    Files.writeString(temporary.resolve("mine.txt"), "keep me");
    assertThatThrownBy(() -> LocalStack.start(options(temporary).thrownAway()))
        .hasMessageContaining("is not empty");
    assertThat(temporary.resolve("mine.txt")).exists();
  }

  private LocalOptions options() {
    return options(folder.resolve("data"));
  }

  /** One MariaDB serves all tests of the JVM; RunIT starts one of its own. */
  private LocalOptions options(Path data) {
    return LocalOptions.in(data)
        .withLoader(ConfigLoader.ofNothing())
        .withServers(Optional.empty(), Optional.of(mysql.uri()))
        .onFreePorts();
  }

  private static ItemId demoSale(LocalStack stack) throws Exception {
    return Await.result(
        BOUND,
        "the demo sale",
        new DemoSale(stack.node().vertx().eventBus(), System.currentTimeMillis()).ensureOpen());
  }

  private static String token(LocalStack stack) {
    return stack.tokens().sign(UserId.of("alice"), Set.of(), Duration.ofHours(1)).text();
  }

  private static long epoch(LocalStack stack) throws IOException {
    EmbeddedRedis redis = stack.redis().orElseThrow();
    try (RawRedis connection = new RawRedis(redis.host(), redis.port(), BOUND)) {
      return Long.parseLong(connection.call("HGET", RedisKeys.forShards(1)[0].head(), "epoch"));
    }
  }
}

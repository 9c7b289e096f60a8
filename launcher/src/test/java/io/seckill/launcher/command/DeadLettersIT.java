package io.seckill.launcher.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.id.UserId;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.launcher.Web;
import io.seckill.launcher.local.LocalStack;
import io.seckill.launcher.local.TemporaryStage;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.SqlServer;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code dead-letters} on a whole system: engine, consumer and gateway. */
class DeadLettersIT {

  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final Duration SIGNED_IN_FOR = Duration.ofHours(1);

  @TempDir private Path folder;

  private final Web web = new Web();
  private MySqlAddress mysql;
  private LocalStack stack;

  @Test
  void I3_letterShouldEndInAnOrderOrInAFailureWithItsUnitBack() throws Exception {
    mysql = TestMariaDb.shared().newDatabase();
    try (EmbeddedRedis redis = TestRedis.start();
        LocalStack started =
            LocalStack.start(
                TemporaryStage.systemIn(folder, 2)
                    .withServers(
                        Optional.of(TestRedis.address(redis).uri()), Optional.of(mysql.uri())))) {
      stack = started;
      stack.runInfo().write(folder);
      ok("item", "create", "--id", "7", "--name", "Phone", "--price", "100", "--stock", "9");
      ok("preheat", "7");
      assertThat(ok("dead-letters", "list").getJsonArray("deadLetters")).isEmpty();

      letterShouldBeSettled(buyInVain("ann"));
      letterShouldBeStored(buyInVain("bob"));

      assertThat(ok("audit").getString("verdict")).isEqualTo("PASS");
      assertThat(ok("dead-letters", "list").getJsonArray("deadLetters")).isEmpty();
      assertThat(ok("dead-letters", "list", "--all").getJsonArray("deadLetters")).hasSize(2);
      assertThat(on("dead-letters", "show", "0:0:1:999").err()).contains("NOT_FOUND");
    }
  }

  /** MySQL believes that the user holds all that he may. */
  private String buyInVain(String user) throws Exception {
    SqlServer.query(
        mysql, "INSERT INTO holdings (item_id, user_id, units) VALUES (7, '" + user + "', 1)");
    Web.Answer[] bought = new Web.Answer[1];
    Await.until(
        BOUND,
        user + " has bought",
        () -> {
          bought[0] = web.buy(stack.runInfo().publicUrl(), token(user), "7", "k");
          return bought[0].status() < 300;
        });
    JsonObject[] letter = new JsonObject[1];
    Await.until(
        BOUND,
        "there is a letter",
        () -> {
          List<JsonObject> open =
              ok("dead-letters", "list").getJsonArray("deadLetters").stream()
                  .map(JsonObject.class::cast)
                  .toList();
          open.forEach(found -> letter[0] = found);
          return !open.isEmpty();
        });
    assertThat(letter[0].getString("user")).isEqualTo(user);
    assertThat(letter[0].getString("reason")).isEqualTo("LIMIT");
    assertThat(letter[0].getString("orderId")).isEqualTo(bought[0].json().getString("orderId"));
    assertThat(order(user, letter[0]).getString("status")).isEqualTo("ACCEPTED");
    return letter[0].getString("id");
  }

  private String token(String user) {
    return stack.tokens().sign(new UserId(user), Set.of(), SIGNED_IN_FOR).text();
  }

  private JsonObject order(String user, JsonObject letter) throws Exception {
    return web.get(
            stack.runInfo().publicUrl() + "/api/v1/orders/" + letter.getString("orderId"),
            token(user))
        .json();
  }

  private void letterShouldBeSettled(String id) throws Exception {
    JsonObject shown = ok("dead-letters", "show", id);
    assertThat(shown.getString("payload")).contains("ann");
    SqlServer.query(mysql, "DELETE FROM holdings WHERE user_id = 'ann'");
    assertThat(on("audit").json().getString("verdict")).isEqualTo("FAIL");

    assertThat(ok("dead-letters", "settle", id).getString("state")).isIn("SETTLING", "RELEASED");

    Await.until(
        BOUND,
        "an engine has given the unit back",
        () -> ok("dead-letters", "show", id).getString("state").equals("RELEASED"));
    JsonObject order = order("ann", shown);
    assertThat(order.getString("status")).isEqualTo("FAILED");
    assertThat(order.getString("reason")).isEqualTo("LIMIT");
    Invocation late = on("dead-letters", "retry", id);
    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(late.err()).contains("CONFLICT").contains("RELEASED");
    assertThat(ok("audit").getString("verdict")).isEqualTo("PASS");
  }

  private void letterShouldBeStored(String id) throws Exception {
    Invocation refused = on("dead-letters", "retry", id);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("CONFLICT").contains("bob would hold 2 units");
    SqlServer.query(mysql, "DELETE FROM holdings WHERE user_id = 'bob'");

    JsonObject stored = ok("dead-letters", "retry", id);

    assertThat(stored.getString("state")).isEqualTo("STORED");
    assertThat(order("bob", stored).getString("status")).isEqualTo("PENDING_PAYMENT");
    assertThat(ok("dead-letters", "settle", id).getString("state")).isEqualTo("STORED");
  }

  private JsonObject ok(String... arguments) {
    Invocation done = on(arguments);
    assertThat(done.exitCode()).as(done.err()).isZero();
    return done.json();
  }

  private Invocation on(String... arguments) {
    String[] all = new String[arguments.length + 3];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--data";
    all[arguments.length + 1] = folder.toString();
    all[arguments.length + 2] = "--json";
    return Invocation.of(all);
  }
}

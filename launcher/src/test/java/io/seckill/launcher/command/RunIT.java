package io.seckill.launcher.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.embedded.FreePorts;
import io.seckill.launcher.Web;
import io.seckill.launcher.local.RunInfo;
import io.seckill.testkit.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} as a process, and the commands that speak to it. */
class RunIT {

  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final String[] RUN = {
    "run", "--json", "--port", "0", "--admin-port", "0", "--management-port", "0"
  };

  @TempDir private Path folder;

  private final Web web = new Web();

  @Test
  void VX_03_runShouldSellAndStopOnSigtermWithNothingLeft() throws Exception {
    Path data = folder.resolve("data");
    try (Program program = Program.start(folder, RUN)) {
      JsonObject ready = program.awaitJson();
      assertThat(ready.getString("itemId")).isEqualTo("1001");
      assertThat(program.out().lines()).as("standard output: %s", program.err()).hasSize(1);
      assertThat(ready.getLong("pid")).isEqualTo(program.pid());
      System.out.println(
          "[launcher] run was ready after " + ready.getDouble("readySeconds") + " s");
      assertThat(program.err()).contains("local run").contains("curl").doesNotContain("\tat ");
      assertThat(permissions(RunInfo.file(data)))
          .containsExactlyInAnyOrder("OWNER_READ", "OWNER_WRITE");

      managementPortShouldShowHealthAndMetrics(ready.getString("managementUrl"));
      String token = token(data);
      String publicUrl = ready.getString("publicUrl");
      buyShouldBecomeAnOrder(publicUrl, token, ready.getString("itemId"));
      operatorsCommandsShouldWork(data, publicUrl, token);

      assertThat(program.children()).as("Redis, MariaDB and their watchdogs").hasSizeGreaterThan(1);
      int exitCode = program.terminate();

      assertThat(exitCode).as(program.err()).isZero();
      assertThat(program.err()).contains("stopping").doesNotContain("\tat ");
      for (ProcessHandle child : program.children()) {
        Await.until(BOUND, child + " is gone", () -> !child.isAlive());
      }
      assertThat(RunInfo.file(data)).doesNotExist();
      for (String url :
          List.of(publicUrl, ready.getString("adminUrl"), ready.getString("managementUrl"))) {
        assertThat(FreePorts.free(URI.create(url).getPort())).as(url).isTrue();
      }
    }
  }

  private void managementPortShouldShowHealthAndMetrics(String url)
      throws IOException, InterruptedException {
    assertThat(web.get(url + "/health/live", "").json())
        .isEqualTo(new JsonObject().put("live", true));
    Web.Answer ready = web.get(url + "/health/ready", "");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.json().getJsonObject("checks").getMap())
        .containsOnlyKeys("roles", "ledger", "shards", "board")
        .containsEntry("shards", "up");
    assertThat(web.get(url + "/metrics", "").body())
        .contains("seckill_engine_shards_open 1.0")
        .contains("seckill_gateway_connections")
        .contains("jvm_memory_used_bytes");
    assertThat(web.status("GET", url + "/")).isEqualTo(404);
    assertThat(web.status("GET", url + "/metrics/")).isEqualTo(404);
    assertThat(web.status("DELETE", url + "/metrics")).isEqualTo(405);
  }

  private static String token(Path data) {
    Invocation signed = Invocation.of("token", "--user", "alice", "--data", data.toString());
    assertThat(signed.exitCode()).as(signed.err()).isZero();
    return signed.out().strip();
  }

  private void buyShouldBecomeAnOrder(String publicUrl, String token, String item)
      throws Exception {
    Web.Answer bought = web.buy(publicUrl, token, item, "k1");
    assertThat(bought.status()).as(bought.body()).isEqualTo(202);
    String order = bought.json().getString("orderId");
    Await.until(
        BOUND,
        "the order is stored",
        () ->
            web.get(publicUrl + "/api/v1/orders/" + order, token)
                .json()
                .getString("status")
                .equals("PENDING_PAYMENT"));
  }

  private void operatorsCommandsShouldWork(Path data, String publicUrl, String token)
      throws Exception {
    JsonObject created =
        ok(
            data, "item", "create", "--id", "77", "--name", "Second", "--price", "100", "--stock",
            "2");
    assertThat(created.getString("state")).isEqualTo("CREATED");
    assertThat(created.getLong("stock")).isEqualTo(2);
    assertThat(ok(data, "preheat", "77").getString("state")).isEqualTo("OPEN");
    Await.until(
        BOUND, "item 77 sells", () -> web.buy(publicUrl, token, "77", "k2").status() == 202);
    JsonObject restocked = ok(data, "item", "restock", "77", "--units", "5");
    assertThat(restocked.getLong("units")).isEqualTo(7);
    assertThat(restocked.getLong("done")).isEqualTo(5);
    Invocation withdrawn = on(data, "item", "withdraw", "77", "--units", "100");
    assertThat(withdrawn.json().getLong("asked")).isEqualTo(100);
    assertThat(withdrawn.json().getLong("done")).as("all but the one that is held").isEqualTo(6);
    assertThat(withdrawn.json().getBoolean("settled")).isTrue();
    assertThat(withdrawn.err()).contains("6 of 100 units moved");
    assertThat(ok(data, "item", "total", "77", "--units", "10").getLong("units")).isEqualTo(10);
    JsonObject capped = ok(data, "item", "cap", "77", "--units", "4");
    assertThat(capped.getLong("units")).isEqualTo(4);
    assertThat(capped.getLong("reserve")).isEqualTo(6);
    assertThat(capped.getLong("cap")).isEqualTo(4);
    JsonObject lifted = ok(data, "item", "cap", "77", "--lift");
    assertThat(lifted.getLong("units")).isEqualTo(10);
    assertThat(lifted.getLong("reserve")).isZero();
    assertThat(lifted.getValue("cap")).isNull();
    assertThat(ok(data, "item", "limit", "77", "--limit", "3").getInteger("limitPerUser"))
        .isEqualTo(3);
    assertThat(
            ok(
                    data,
                    "item",
                    "window",
                    "77",
                    "--starts",
                    "2020-01-01T00:00:00+08:00",
                    "--ends",
                    "2120-01-01T00:00:00+08:00")
                .getString("startsAt"))
        .isEqualTo("2019-12-31T16:00:00Z");
    assertThat(ok(data, "sales", "stop").getBoolean("stopped")).isTrue();
    assertThat(web.buy(publicUrl, token, "77", "k3").json().getString("code")).isEqualTo("PAUSED");
    assertThat(ok(data, "sales", "resume").getBoolean("stopped")).isFalse();
    assertThat(ok(data, "sales", "show").getLong("generation")).isEqualTo(2);
    assertThat(
            ok(
                    data,
                    "item",
                    "create",
                    "--id",
                    "78",
                    "--name",
                    "Red",
                    "--price",
                    "100",
                    "--stock",
                    "2",
                    "--group",
                    "phone",
                    "--group-limit",
                    "1")
                .getJsonObject("group")
                .getString("id"))
        .isEqualTo("phone");
    assertThat(ok(data, "item", "pause", "77").getString("state")).isEqualTo("PAUSED");
    assertThat(ok(data, "item", "resume", "77").getString("state")).isEqualTo("OPEN");
    assertThat(ok(data, "item", "end", "77").getString("state")).isEqualTo("ENDED");
    assertThat(ok(data, "item", "show", "77").getString("name")).isEqualTo("Second");
    assertThat(ok(data, "item", "list").getJsonArray("items")).hasSize(3);
    Invocation late = on(data, "item", "resume", "77");
    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(late.json().getString("error")).startsWith("ENDED");
    Invocation wrong = on(data, "item", "restock", "77", "--units", "-1");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.json().getString("error")).startsWith("INVALID_REQUEST");
    JsonObject audit = ok(data, "audit");
    assertThat(audit.getString("verdict")).as(audit.encode()).isEqualTo("PASS");
  }

  private static JsonObject ok(Path data, String... arguments) {
    Invocation done = on(data, arguments);
    assertThat(done.exitCode()).as(done.err()).isZero();
    return done.json();
  }

  private static Invocation on(Path data, String... arguments) {
    String[] all = new String[arguments.length + 3];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--data";
    all[arguments.length + 1] = data.toString();
    all[arguments.length + 2] = "--json";
    return Invocation.of(all);
  }

  private static List<String> permissions(Path file) throws IOException {
    return Files.getPosixFilePermissions(file).stream().map(Enum::name).toList();
  }
}

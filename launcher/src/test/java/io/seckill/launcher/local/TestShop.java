package io.seckill.launcher.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.config.ConfigLoader;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.launcher.command.AdminClient;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The whole program on servers of its own, for tests that speak to it over HTTP as buyers and
 * operators do. Its limits on addresses are wide, because a test's whole crowd has one.
 *
 * @param redis its Redis
 * @param mysql its database
 * @param stack the program
 * @param admin an operator
 */
record TestShop(EmbeddedRedis redis, MySqlAddress mysql, LocalStack stack, AdminClient admin)
    implements AutoCloseable {

  /** Starts one that keeps its files in a folder. */
  static TestShop start(Path folder, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("admission.ipPerSecond", "100000");
    all.put("admission.ipBurst", "100000");
    EmbeddedRedis redis = TestRedis.start();
    MySqlAddress mysql = TestMariaDb.shared().newDatabase();
    LocalStack stack =
        LocalStack.start(
            LocalOptions.in(folder.resolve("data"))
                .withLoader(ConfigLoader.ofNothing())
                .onFreePorts()
                .withServers(Optional.of(TestRedis.address(redis).uri()), Optional.of(mysql.uri()))
                .with(all));
    AdminClient admin = new AdminClient(stack.runInfo().adminUrl(), stack.runInfo().adminToken());
    return new TestShop(redis, mysql, stack, admin);
  }

  /** Waits until everything is stored, and audits it. */
  void auditShouldBeClean(Duration bound) throws Exception {
    JsonObject report =
        admin.post("/api/v1/admin/audit", new JsonObject().put("waitMs", bound.toMillis()));
    assertThat(report.getJsonArray("findings")).isEmpty();
    assertThat(report.getBoolean("clean")).isTrue();
  }

  @Override
  public void close() {
    stack.close();
    redis.close();
  }
}

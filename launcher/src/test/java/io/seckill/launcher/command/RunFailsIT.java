package io.seckill.launcher.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.FreePorts;
import io.seckill.testkit.Await;
import io.seckill.testkit.MySqlAddress;
import io.seckill.testkit.TestMariaDb;
import io.seckill.testkit.TestRedis;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that cannot work ends with one message that says what to do, and leaves nothing. */
class RunFailsIT {

  @TempDir private Path folder;

  private final EmbeddedRedis redis = TestRedis.start();
  private final MySqlAddress mysql = TestMariaDb.shared().newDatabase();

  @Test
  void runShouldNameATakenPublicPort() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Invocation failed =
          run(redisUri(), mysql.uri(), "--port", Integer.toString(taken.getLocalPort()));
      assertOneMessage(failed, "gateway.publicPort", Integer.toString(taken.getLocalPort()));
    }
  }

  @Test
  void runShouldNameATakenManagementPort() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Invocation failed =
          run(redisUri(), mysql.uri(), "--management-port", Integer.toString(taken.getLocalPort()));
      assertOneMessage(failed, "management.port", Integer.toString(taken.getLocalPort()));
    }
  }

  @Test
  void runShouldSayThatRedisCannotBeReached() throws Exception {
    String nowhere = "redis://127.0.0.1:" + FreePorts.choose();
    Invocation failed = run(nowhere, mysql.uri(), "--set", "redis.connectTimeoutMs=300");
    assertOneMessage(failed, nowhere.substring("redis://".length()), "redis.uri");
  }

  @Test
  void runShouldSayThatMySqlCannotBeReached() throws Exception {
    int port = FreePorts.choose();
    Invocation failed = run(redisUri(), "mysql://seckill:wrong@127.0.0.1:" + port + "/seckill");
    assertOneMessage(failed, "127.0.0.1:" + port, "mysql.host");
    assertThat(failed.err()).doesNotContain("wrong");
  }

  @Test
  void runShouldSayThatMySqlRefusesThePassword() throws Exception {
    Invocation failed =
        run(
            redisUri(),
            "mysql://nobody:wrong@" + mysql.host() + ":" + mysql.port() + "/" + mysql.database());
    assertOneMessage(failed, mysql.host() + ":" + mysql.port(), "mysql.password");
  }

  private Invocation run(String redisUri, String mysqlUri, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "run",
                "--json",
                "--data",
                folder.toString(),
                "--redis",
                redisUri,
                "--mysql",
                mysqlUri));
    all.addAll(List.of(more));
    for (String port : List.of("--port", "--admin-port", "--management-port")) {
      if (!all.contains(port)) {
        all.addAll(List.of(port, "0"));
      }
    }
    return Invocation.of(all.toArray(String[]::new));
  }

  private String redisUri() {
    return TestRedis.address(redis).uri();
  }

  private void assertOneMessage(Invocation failed, String... parts) throws InterruptedException {
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.json().getString("error")).contains(parts);
    assertThat(failed.err().lines().filter(line -> line.startsWith("seckill: "))).hasSize(1);
    assertThat(failed.err()).doesNotContain("\tat ");
    assertThat(folder.resolve("run.json")).doesNotExist();
    // Threads of the tests' own clients are daemons.
    Await.until(
        Duration.ofSeconds(30),
        "all threads of Vert.x have ended",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("vert.x") && !thread.isDaemon()));
  }
}

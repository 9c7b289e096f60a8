package io.seckill.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JvmDeathIT {

  private static final int BOUND_S = 30;

  @TempDir Path folder;

  /**
   * Runs in a JVM of its own: starts a server, freezes it if asked, tells its process id and waits
   * for its fate.
   */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      EmbeddedRedis redis = EmbeddedRedis.start(RedisSpec.in(Path.of(args[0])));
      if (args[1].equals("paused")) {
        redis.pause();
      }
      System.out.println("pid " + redis.pid());
      if (System.in.read() < 0) {
        System.exit(0);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"running", "paused"})
  void noServerOutlivesAJvmThatIsKilled(String state) throws Exception {
    Process jvm = victim(state);
    ProcessHandle server = server(jvm);

    jvm.destroyForcibly();

    server.onExit().get(BOUND_S, TimeUnit.SECONDS);
    assertThat(server.isAlive()).isFalse();
  }

  @Test
  void noServerOutlivesAJvmThatExitsWithoutClosingIt() throws Exception {
    Process jvm = victim("running");
    ProcessHandle server = server(jvm);

    jvm.getOutputStream().close();

    assertThat(jvm.waitFor(BOUND_S, TimeUnit.SECONDS)).isTrue();
    server.onExit().get(BOUND_S, TimeUnit.SECONDS);
    assertThat(server.isAlive()).isFalse();
  }

  private Process victim(String state) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Victim.class.getName(),
            folder.resolve(state).toString(),
            state)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static ProcessHandle server(Process jvm) throws Exception {
    try (BufferedReader output = jvm.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.startsWith("pid ")) {
        line = output.readLine();
      }
      assertThat(line).isNotNull();
      return ProcessHandle.of(Long.parseLong(line.substring(4))).orElseThrow();
    }
  }
}

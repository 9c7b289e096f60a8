package io.seckill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.embedded.RedisSpec.Appendonly;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisIT {

  private static final Duration BOUND = Duration.ofSeconds(30);

  @TempDir Path folder;

  @Test
  void keepsItsDataOverKillAndRestartWhenAppendonly() throws Exception {
    try (EmbeddedRedis redis =
        EmbeddedRedis.start(RedisSpec.in(folder).withAppendonly(Appendonly.ALWAYS))) {
      int port = redis.port();
      long pid = redis.pid();
      assertThat(call(redis, "SET", "k", "v")).isEqualTo("OK");

      redis.kill();
      assertThat(redis.running()).isFalse();
      redis.restart();

      assertThat(redis.port()).isEqualTo(port);
      assertThat(redis.pid()).isNotEqualTo(pid);
      assertThat(call(redis, "GET", "k")).isEqualTo("v");
    }
    try (EmbeddedRedis again = EmbeddedRedis.start(RedisSpec.in(folder))) {
      assertThat(call(again, "GET", "k")).isEqualTo("v");
      assertThat(again.version()).startsWith("6.2");
      assertThat(again.uri()).isEqualTo("redis://127.0.0.1:" + again.port());
    }
  }

  @Test
  void givesNoAnswerWhilePausedAndGoesOnWhenResumed() throws Exception {
    EmbeddedRedis redis = EmbeddedRedis.start(RedisSpec.in(folder).withAppendonly(Appendonly.NO));
    try (redis;
        RawRedis client = new RawRedis(redis.host(), redis.port(), Duration.ofMillis(200))) {
      redis.pause();
      assertThat(redis.running()).isTrue();
      assertThatThrownBy(() -> client.call("PING")).isInstanceOf(SocketTimeoutException.class);

      redis.resume();
      assertThat(call(redis, "PING")).isEqualTo("PONG");

      redis.pause();
    }
    // It was paused when it was closed.
    assertThat(redis.running()).isFalse();
  }

  @Test
  void endsWithItsWatchdogAndTheOtherWayRound() throws Exception {
    EmbeddedRedis redis = EmbeddedRedis.start(RedisSpec.in(folder).withAppendonly(Appendonly.NO));
    ProcessHandle server = ProcessHandle.of(redis.pid()).orElseThrow();
    ProcessHandle watchdog = ProcessHandle.of(redis.watchdogPid()).orElseThrow();

    redis.close();

    assertThat(server.isAlive()).isFalse();
    watchdog.onExit().get(BOUND.toSeconds(), TimeUnit.SECONDS);
    redis.close();
    assertThatThrownBy(redis::restart).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesAFolderInUseAndAPortThatIsTaken() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(RedisSpec.in(folder.resolve("a")))) {
      assertThatThrownBy(() -> EmbeddedRedis.start(RedisSpec.in(folder.resolve("a"))))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("in use by another server");
      assertThatThrownBy(
              () -> EmbeddedRedis.start(RedisSpec.in(folder.resolve("b")).withPort(redis.port())))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("port " + redis.port())
          .hasMessageContaining("taken");
    }
  }

  @Test
  void takesAnotherPortWhenTheChosenOneWasTakenInBetween() throws Exception {
    Path binary = EmbeddedRedis.binary(Platform.current());
    try (ServerSocket stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var first = new AtomicBoolean(true);
      ServerPlan.Command command =
          port -> {
            int real = first.getAndSet(false) ? stranger.getLocalPort() : port;
            return List.of(
                binary.toString(),
                "--port",
                Integer.toString(real),
                "--bind",
                "127.0.0.1",
                "--save",
                "");
          };
      ServerPlan plan =
          new ServerPlan(
              new ServerPlan.Label("redis", ""),
              folder,
              0,
              command,
              Map.of(),
              EmbeddedRedisIT::pong);
      try (ServerHost host = ServerHost.start(plan)) {
        assertThat(host.version()).isEqualTo("PONG");
        assertThat(first).isFalse();
      }
    }
  }

  @Test
  void tellsWhyAStartFailed() {
    assertThatThrownBy(
            () -> EmbeddedRedis.start(RedisSpec.in(folder).withOptions("--no-such-option", "1")))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("no-such-option")
        .hasMessageContaining("--redis");
  }

  @Test
  void namesThePackageOfAMissingLibrary() {
    String complaint =
        "redis-server: error while loading shared libraries: libssl.so.3: cannot open shared object";
    ServerPlan plan =
        new ServerPlan(
            new ServerPlan.Label("redis", "use --redis"),
            folder,
            0,
            port -> List.of("/bin/sh", "-c", "echo '" + complaint + "'; exit 127"),
            Map.of(),
            EmbeddedRedisIT::pong);
    assertThatThrownBy(() -> ServerHost.start(plan))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("apt-get install libssl3")
        .hasMessageContaining("use --redis");
  }

  private static Optional<String> pong(int port, long pid) throws IOException {
    try (RawRedis redis = new RawRedis("127.0.0.1", port, BOUND)) {
      return Optional.of(redis.call("PING"));
    }
  }

  private static String call(EmbeddedRedis redis, String... command) throws IOException {
    try (RawRedis client = new RawRedis(redis.host(), redis.port(), BOUND)) {
      return client.call(command);
    }
  }
}

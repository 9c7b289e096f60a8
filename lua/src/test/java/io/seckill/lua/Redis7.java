package io.seckill.lua;

import io.seckill.embedded.FileTrees;
import io.seckill.embedded.RawRedis;
import io.seckill.embedded.ServerHost;
import io.seckill.embedded.ServerPlan;
import io.seckill.testkit.RedisAddress;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The redis-server of this machine, when it is version 7 or newer. Ends with the JVM. */
final class Redis7 {

  private static final Duration PROBE_BOUND = Duration.ofSeconds(1);

  private Redis7() {}

  /**
   * Starts a private one; reports the test as skipped where none is installed.
   *
   * @param options more of redis.conf as command-line words
   */
  static ServerHost start(String... options) {
    Optional<Path> binary = binary();
    Assumptions.assumeTrue(binary.isPresent(), "no redis-server is installed");
    Path folder = temporaryFolder();
    ServerHost server =
        ServerHost.start(
            new ServerPlan(
                new ServerPlan.Label("redis7", "do without it"),
                folder,
                0,
                port -> command(binary.get(), folder, port, options),
                Map.of(),
                (port, pid) -> version(port)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, folder), "redis7-end"));
    boolean fits = Integer.parseInt(server.version().split("\\.", 2)[0]) >= 7;
    Assumptions.assumeTrue(fits, "the installed redis-server is " + server.version());
    System.out.printf("[redis7] Redis %s on port %d%n", server.version(), server.port());
    return server;
  }

  static RedisAddress address(ServerHost server) {
    return new RedisAddress(server.host(), server.port());
  }

  private static Optional<Path> binary() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static List<String> command(Path binary, Path folder, int port, String... options) {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    command.addAll(List.of("--dir", folder.toString(), "--save", "", "--daemonize", "no"));
    command.addAll(List.of(options));
    return command;
  }

  private static Optional<String> version(int port) throws IOException {
    try (RawRedis redis = new RawRedis("127.0.0.1", port, PROBE_BOUND)) {
      redis.call("PING");
      return Optional.of(redis.info("server", "redis_version"));
    }
  }

  private static Path temporaryFolder() {
    try {
      return Files.createTempDirectory("seckill-redis7-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void end(ServerHost server, Path folder) {
    server.kill();
    try {
      FileTrees.delete(folder);
    } catch (IOException e) {
      System.err.println("[redis7] cannot delete " + folder + ": " + e);
    }
  }
}

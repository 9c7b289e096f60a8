package io.seckill.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real Redis on loopback, from the binary in the embedded-redis jar. No password, no snapshots,
 * {@code noeviction}.
 *
 * <p>The binary is unpacked once into {@link UnpackCache}. The log is {@code redis.log} in the data
 * folder.
 */
public final class EmbeddedRedis extends HostedServer {

  private static final ServerPlan.Label LABEL =
      new ServerPlan.Label(
          "redis",
          "start a Redis 6.2 or newer of your own and name it by --redis redis://host:port");

  private static final Map<String, String> BINARIES =
      Map.of(
          "linux-amd64", "redis-server-6.2.6-v5-linux-amd64",
          "linux-arm64", "redis-server-6.2.7-linux-arm64",
          "darwin-amd64", "redis-server-6.2.6-v5-darwin-amd64",
          "darwin-arm64", "redis-server-6.2.6-v5-darwin-arm64");

  private static final Duration PROBE_BOUND = Duration.ofSeconds(1);

  private EmbeddedRedis(ServerHost host) {
    super(host);
  }

  /**
   * Starts a server and returns when it answers PING and has loaded its data.
   *
   * @throws EmbeddedServerException when it cannot be started; the message says what to do
   */
  public static EmbeddedRedis start(RedisSpec spec) {
    Path binary = binary();
    return new EmbeddedRedis(
        ServerHost.start(
            new ServerPlan(
                LABEL,
                spec.dataFolder(),
                spec.port(),
                port -> command(binary, spec, port),
                Map.of(),
                EmbeddedRedis::probe)));
  }

  /**
   * Returns the redis-server of this platform, unpacked; it also runs as a sentinel.
   *
   * @throws EmbeddedServerException when there is none
   */
  public static Path binary() {
    return binary(Platform.current());
  }

  static Path binary(Platform platform) {
    String resource = BINARIES.get(platform.toString());
    if (resource == null) {
      throw new NoServerHereException(
          "There is no embedded Redis for %s: %s.".formatted(platform, LABEL.instead()));
    }
    return UnpackCache.folder(resource, folder -> unpack(resource, folder.resolve("redis-server")))
        .resolve("redis-server");
  }

  private static void unpack(String resource, Path target) throws IOException {
    try (InputStream in = EmbeddedRedis.class.getResourceAsStream("/" + resource)) {
      if (in == null) {
        throw new IOException("the embedded-redis jar is not on the class path");
      }
      Files.copy(in, target);
    }
    if (!target.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + target + " executable");
    }
  }

  private static List<String> command(Path binary, RedisSpec spec, int port) {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(
        List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--daemonize", "no"));
    command.addAll(
        List.of(
            "--dir",
            spec.dataFolder().toString(),
            "--save",
            "",
            "--maxmemory-policy",
            "noeviction"));
    command.addAll(
        switch (spec.appendonly()) {
          case NO -> List.of("--appendonly", "no");
          case EVERYSEC -> List.of("--appendonly", "yes", "--appendfsync", "everysec");
          case ALWAYS -> List.of("--appendonly", "yes", "--appendfsync", "always");
        });
    if (spec.clusterNode()) {
      command.addAll(List.of("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"));
    }
    command.addAll(spec.options());
    return command;
  }

  /**
   * The probe for the {@link ServerPlan} of this binary, also when it runs as a sentinel. The
   * process id in INFO tells our server from a stranger on the same port.
   */
  public static Optional<String> probe(int port, long pid) throws IOException {
    try (RawRedis redis = new RawRedis("127.0.0.1", port, PROBE_BOUND)) {
      if (!redis.call("PING").equals("PONG")
          || !redis.info("server", "process_id").equals(Long.toString(pid))) {
        return Optional.empty();
      }
      return Optional.of(redis.info("server", "redis_version"));
    }
  }

  /** Returns {@code redis://127.0.0.1:port}. */
  public String uri() {
    return "redis://" + host() + ":" + port();
  }
}

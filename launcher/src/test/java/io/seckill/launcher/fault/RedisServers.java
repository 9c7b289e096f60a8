package io.seckill.launcher.fault;

import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.RawRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The Redis servers of one topology, as tests of faults see and break them. */
interface RedisServers extends AutoCloseable {

  /** The value of {@code redis.uri}. */
  String uri();

  /** S. */
  int shards();

  /** The server that a shard is on now. */
  EmbeddedRedis masterOf(int shard);

  /** Who could take over from a master; nobody in a standalone one. */
  List<EmbeddedRedis> replicasOf(EmbeddedRedis master);

  /**
   * Sees to it that a master which is away for some seconds is, or is not, replaced.
   *
   * @param allowed false: whoever was master stays it
   */
  void allowFailover(boolean allowed);

  /**
   * Brings up and lets go on what tests have killed, frozen or cut off, and waits until all is
   * whole.
   */
  void restoreOrder() throws InterruptedException;

  @Override
  void close();

  /** Servers with replicas. */
  interface Replicated extends RedisServers {

    /**
     * Lets others take over again, also replicas that have heard nothing of their master for long:
     * on a slow machine a test takes its time.
     */
    void allowLateFailover();

    /** Lets a replica take over in an orderly way. Returns when the takeover has begun. */
    void handOver(EmbeddedRedis master) throws InterruptedException;

    /**
     * Freezes a master and replaces it: when this returns, another one is master. When this one is
     * let go on, it is a master by its own account for some seconds at least.
     */
    void replaceFrozen(EmbeddedRedis master) throws InterruptedException;
  }

  /** One command with a simple reply, over a connection of its own. */
  static String ask(EmbeddedServer server, String... command) {
    try (RawRedis redis = new RawRedis(server.host(), server.port(), Duration.ofSeconds(10))) {
      return redis.call(command);
    } catch (IOException e) {
      throw new UncheckedIOException(
          String.join(" ", command) + " at port " + server.port() + ": " + e.getMessage(), e);
    }
  }

  /** Whether a server is a master by its own account. */
  static boolean isMaster(EmbeddedServer server) {
    return ask(server, "INFO", "replication").contains("role:master");
  }

  /** Whether a master has as many replicas that follow it. */
  static boolean isFollowed(EmbeddedServer master, int replicas) {
    return ask(master, "INFO", "replication")
            .lines()
            .filter(line -> line.matches("slave\\d+:.*state=online.*"))
            .count()
        == replicas;
  }

  /** Where a server's snapshot lies; what it starts with after it was killed. */
  static Path snapshotOf(EmbeddedServer server) {
    return server.dataFolder().resolve("dump.rdb");
  }

  /** Kills a server and starts it again with a snapshot, or, where there is none, with nothing. */
  static void restartWith(EmbeddedServer server, Path snapshot) throws IOException {
    server.kill();
    Files.deleteIfExists(snapshotOf(server));
    if (Files.exists(snapshot)) {
      Files.copy(snapshot, snapshotOf(server));
    }
    server.restart();
  }
}

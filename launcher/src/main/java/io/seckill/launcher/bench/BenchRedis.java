package io.seckill.launcher.bench;

import io.seckill.common.config.SeckillConfig.Durability;
import io.seckill.embedded.EmbeddedRedis;
import io.seckill.embedded.RawRedis;
import io.seckill.embedded.RedisSpec;
import io.seckill.embedded.RedisSpec.Appendonly;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.seckill.lua.RedisEndpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A Redis of one's own with the persistence that a durability asks for, and a replica where it asks
 * for one. Ours and the baselines share it, so they have the same settings.
 *
 * <p>The append-only file is never rewritten meanwhile: a fork of the server would hit one side of
 * a round and not the other.
 */
final class BenchRedis implements AutoCloseable {

  private static final Duration CALL_BOUND = Duration.ofSeconds(60);
  private static final long REPLICA_WITHIN_MS = 20_000;
  private static final long POLL_MS = 50;

  private final EmbeddedRedis master;
  private final Optional<EmbeddedRedis> replica;
  private final RawRedis connection;

  private BenchRedis(EmbeddedRedis master, Optional<EmbeddedRedis> replica, RawRedis connection) {
    this.master = master;
    this.replica = replica;
    this.connection = connection;
  }

  /** Starts it, with its data below this folder. */
  static BenchRedis start(Path folder, Durability durability) {
    EmbeddedRedis master =
        EmbeddedRedis.start(
            RedisSpec.in(folder.resolve("master"))
                .withAppendonly(
                    durability == Durability.FSYNC ? Appendonly.ALWAYS : Appendonly.EVERYSEC)
                .withOptions("--auto-aof-rewrite-percentage", "0"));
    Optional<EmbeddedRedis> replica = Optional.empty();
    try {
      if (durability == Durability.REPLICA) {
        replica =
            Optional.of(
                EmbeddedRedis.start(
                    RedisSpec.in(folder.resolve("replica"))
                        .withOptions(
                            "--auto-aof-rewrite-percentage",
                            "0",
                            "--replicaof",
                            master.host(),
                            Integer.toString(master.port()))));
      }
      BenchRedis redis = new BenchRedis(master, replica, connect(master));
      redis.awaitReplica();
      return redis;
    } catch (RuntimeException e) {
      replica.ifPresent(EmbeddedRedis::close);
      master.close();
      throw e;
    }
  }

  private static RawRedis connect(EmbeddedRedis server) {
    try {
      return new RawRedis(server.host(), server.port(), CALL_BOUND);
    } catch (IOException e) {
      throw new LaunchException("cannot connect to Redis (" + e + ")", e);
    }
  }

  private void awaitReplica() {
    long deadlineNs = System.nanoTime() + REPLICA_WITHIN_MS * 1_000_000;
    while (replica.isPresent() && !info("replication", "slave0").contains("state=online")) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new LaunchException("the replica did not join its master");
      }
      Waiting.pause(POLL_MS);
    }
  }

  String host() {
    return master.host();
  }

  int port() {
    return master.port();
  }

  String uri() {
    return master.uri();
  }

  /** As the server says it. */
  String version() {
    return master.version();
  }

  RedisEndpoint endpoint() {
    return new RedisEndpoint(host(), port(), "");
  }

  /** One more blocking connection; the caller closes it. */
  RawRedis connect() {
    return connect(master);
  }

  /** A connection for what is not measured; for the thread of the command. */
  RawRedis raw() {
    return connection;
  }

  /** One call on that connection. */
  String call(String... command) {
    try {
      return connection.call(command);
    } catch (IOException e) {
      throw new UncheckedIOException(String.join(" ", command) + ": " + e.getMessage(), e);
    }
  }

  /** A field of INFO, empty without. */
  String info(String section, String field) {
    try {
      return connection.info(section, field);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A number of INFO. */
  OptionalLong number(String section, String field) {
    String text = info(section, field);
    return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      replica.ifPresent(EmbeddedRedis::close);
      master.close();
    }
  }
}

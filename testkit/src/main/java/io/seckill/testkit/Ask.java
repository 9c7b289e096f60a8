package io.seckill.testkit;

import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.RawRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/** Single questions to Redis servers of this JVM, each over a connection of its own. */
final class Ask {

  /** A frozen server must not hold a look-around up for long. */
  private static final Duration BOUND = Duration.ofSeconds(1);

  private Ask() {}

  /** One command with a simple reply. */
  static String text(EmbeddedServer server, String... command) {
    try (RawRedis redis = new RawRedis(server.host(), server.port(), BOUND)) {
      return redis.call(command);
    } catch (IOException e) {
      throw failed(server, command, e);
    }
  }

  /** One command with a list as its reply. */
  static List<String> list(EmbeddedServer server, String... command) {
    try (RawRedis redis = new RawRedis(server.host(), server.port(), BOUND)) {
      return redis.list(command);
    } catch (IOException e) {
      throw failed(server, command, e);
    }
  }

  /** One field of INFO. */
  static String info(EmbeddedServer server, String section, String field) {
    try (RawRedis redis = new RawRedis(server.host(), server.port(), BOUND)) {
      return redis.info(section, field);
    } catch (IOException e) {
      throw failed(server, new String[] {"INFO", section}, e);
    }
  }

  private static UncheckedIOException failed(
      EmbeddedServer server, String[] command, IOException cause) {
    return new UncheckedIOException(
        "port %d, %s: %s".formatted(server.port(), String.join(" ", command), cause.getMessage()),
        cause);
  }
}

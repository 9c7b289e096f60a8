package io.seckill.testkit;

import io.seckill.embedded.EmbeddedServer;
import io.seckill.embedded.RawRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;

/** Single questions to Redis servers of this JVM, each over a connection of its own. */
final class Ask {

  /** A frozen server must not hold a look-around up for long. */
  private static final Duration BOUND = Duration.ofSeconds(1);

  private Ask() {}

  /** One command with a simple reply. */
  static String text(EmbeddedServer server, String... command) {
    return ask(server, redis -> redis.call(command), command);
  }

  /** One command with a list as its reply. */
  static List<String> list(EmbeddedServer server, String... command) {
    return ask(server, redis -> redis.list(command), command);
  }

  /** One field of INFO. */
  static String info(EmbeddedServer server, String section, String field) {
    return ask(server, redis -> redis.info(section, field), "INFO", section);
  }

  /** A question. */
  private interface Question<T> {
    T to(RawRedis redis) throws IOException;
  }

  /** Asks again when it was the machine that stood still. */
  private static <T> T ask(EmbeddedServer server, Question<T> question, String... command) {
    while (true) {
      long stalledBefore = Stalls.nanos();
      try (RawRedis redis = new RawRedis(server.host(), server.port(), BOUND)) {
        return question.to(redis);
      } catch (SocketTimeoutException e) {
        if (Stalls.nanos() == stalledBefore) {
          throw failed(server, command, e);
        }
      } catch (IOException e) {
        throw failed(server, command, e);
      }
    }
  }

  private static UncheckedIOException failed(
      EmbeddedServer server, String[] command, IOException cause) {
    return new UncheckedIOException(
        "port %d, %s: %s".formatted(server.port(), String.join(" ", command), cause.getMessage()),
        cause);
  }
}

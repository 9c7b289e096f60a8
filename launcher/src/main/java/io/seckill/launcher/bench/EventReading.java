package io.seckill.launcher.bench;

import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The way to a process of {@link EventReaders}. For the thread of a command. */
final class EventReading implements AutoCloseable {

  private static final Duration OPEN_BOUND = Duration.ofMinutes(3);

  private final Process process;
  private final BufferedReader lines;

  /**
   * Starts it, and waits until all streams are open.
   *
   * @param wish as {@link EventReaders} wants it
   */
  EventReading(JsonObject wish) {
    try {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseParallelGC",
                  "-Xmx512m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  EventReaders.class.getName())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      process.getOutputStream().write((wish.encode() + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new LaunchException("the readers of events did not start (" + e + ")", e);
    }
  }

  /** Waits until every stream is open or refused: {@code open}, {@code refusal}. */
  JsonObject opened() {
    return Waiting.forResult(next(), OPEN_BOUND, "the opening of event streams");
  }

  /**
   * Waits until all have heard of their orders, or for so long: {@code heard}, {@code refusal},
   * {@code latencyMs}.
   */
  JsonObject heard(Duration bound) {
    CompletableFuture<JsonObject> heard = next();
    try {
      return Waiting.forResult(heard, bound, "the last event");
    } catch (LaunchException e) {
      // The end of its input makes it tell what it has heard so far.
      try {
        process.getOutputStream().close();
      } catch (IOException closing) {
        e.addSuppressed(closing);
      }
      return Waiting.forResult(heard, OPEN_BOUND, "what was heard");
    }
  }

  private CompletableFuture<JsonObject> next() {
    CompletableFuture<JsonObject> read = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                String line = lines.readLine();
                if (line == null) {
                  throw new UncheckedIOException(new IOException("the readers of events ended"));
                }
                read.complete(new JsonObject(line));
              } catch (IOException | RuntimeException e) {
                read.completeExceptionally(e);
              }
            },
            "event-reading");
    thread.setDaemon(true);
    thread.start();
    return read;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

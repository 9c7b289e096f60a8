package io.seckill.launcher.bench;

import io.seckill.embedded.RawRedis;
import io.seckill.launcher.LaunchException;
import io.seckill.launcher.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Another client of a server, which asks it all the time and notes how long it was kept waiting at
 * worst. A pause of this JVM counts as well, because the client cannot tell.
 */
final class PingWatch implements AutoCloseable {

  private static final Duration END_BOUND = Duration.ofSeconds(70);

  private final AtomicBoolean over = new AtomicBoolean();
  private final CompletableFuture<Double> worst = new CompletableFuture<>();

  /** Begins to ask. */
  PingWatch(BenchRedis redis) {
    RawRedis connection = redis.connect();
    Thread thread = new Thread(() -> watch(connection), "ping-watch");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch(RawRedis connection) {
    try (connection) {
      long worstNs = 0;
      while (!over.get()) {
        long sentNs = System.nanoTime();
        connection.call("PING");
        worstNs = Math.max(worstNs, System.nanoTime() - sentNs);
      }
      worst.complete(worstNs / 1e6);
    } catch (IOException e) {
      worst.completeExceptionally(new LaunchException("PING failed (" + e + ")", e));
    }
  }

  /** Stops; milliseconds that the slowest answer took. */
  double worstMs() {
    over.set(true);
    return Waiting.forResult(worst, END_BOUND, "PING");
  }

  @Override
  public void close() {
    over.set(true);
  }
}

package io.seckill.launcher.demo;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How fast wins become stored orders, by the consumer's own count, looked at 50 times a second.
 * What was stored is proved by the audit; this tells only when. Safe for all threads.
 */
final class StorePace implements AutoCloseable {

  private static final long LOOK_EVERY_MS = 20;

  private final LongSupplier stored;
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "store-pace");
            thread.setDaemon(true);
            return thread;
          });
  private boolean begun;
  private boolean held;
  private long firstNs;
  private long firstCount;
  private long lastNs;
  private long lastCount;

  /**
   * Begins to look. Without {@link #released} the clock starts with the first order that is seen.
   *
   * @param stored the count, which only grows
   */
  StorePace(LongSupplier stored) {
    this.stored = stored;
    this.lastCount = stored.getAsLong();
    looks.scheduleAtFixedRate(this::look, LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
  }

  /** All wins are there and none is stored: the clock starts now. */
  synchronized void released() {
    held = true;
    start(System.nanoTime(), stored.getAsLong());
  }

  private synchronized void look() {
    long count = stored.getAsLong();
    if (count == lastCount) {
      return;
    }
    long now = System.nanoTime();
    if (!begun) {
      start(now, count);
    }
    lastCount = count;
    lastNs = now;
  }

  private void start(long nowNs, long count) {
    begun = true;
    firstNs = nowNs;
    firstCount = count;
    lastNs = nowNs;
    lastCount = count;
  }

  /**
   * What was seen.
   *
   * @param orders stored while the clock ran
   * @param seconds from the clock's start to the last of them
   * @param held whether all were won before the first was stored
   */
  record Drain(long orders, double seconds, boolean held) {

    /** Orders a second; 0 when there were none. */
    double perSecond() {
      return seconds > 0 ? orders / seconds : 0;
    }
  }

  /** What was seen so far. */
  synchronized Drain drain() {
    look();
    return new Drain(lastCount - firstCount, (lastNs - firstNs) / 1e9, held);
  }

  @Override
  public void close() {
    looks.shutdownNow();
  }
}

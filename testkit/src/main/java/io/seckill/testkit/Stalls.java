package io.seckill.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices when the machine did not let this process run: on a shared one it may stand still for
 * seconds, and whoever waits must not take that for the fault of what he waits for. A heartbeat
 * tells; how late it came is how long everything stood. Safe for all threads.
 */
public final class Stalls {

  private static final long BEAT_MS = 20;

  /** A busy machine makes a thread wait this long without standing still. */
  private static final long NOTICED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Whatever stands this long lets time-outs of the product pass: that is a fault like others. */
  private static final long FAULT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** In which the product has to be well again after a fault, promise I6. */
  private static final Duration HEALED_WITHIN = Duration.ofSeconds(30);

  private static final Stalls SEEN = new Stalls(System::nanoTime);

  static {
    FaultProxy.daemon("stalls", SEEN::watch);
  }

  private final LongSupplier nanoTime;
  private long lastBeatNanos;
  private long totalNanos;
  private long faultEndNanos;

  Stalls(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    lastBeatNanos = nanoTime.getAsLong();
    faultEndNanos = lastBeatNanos - HEALED_WITHIN.toNanos();
  }

  /** How long this process stood still, all stalls together since its start. */
  public static long nanos() {
    return SEEN.total();
  }

  /** Whether the machine has run for so long that the product has to be well. */
  public static boolean calm() {
    return SEEN.isCalm();
  }

  /**
   * How long something may take that the product promises within a time. While the machine runs
   * that is the promise. When it stalled a moment ago, all that the product promises is to be well
   * again 30 s later.
   */
  public static Duration allow(Duration promise) {
    return SEEN.allowed(promise);
  }

  /** Whoever is the first to run after a stall sees it, so it is known before he judges. */
  synchronized void beat() {
    long now = nanoTime.getAsLong();
    long lateNanos = now - lastBeatNanos - TimeUnit.MILLISECONDS.toNanos(BEAT_MS);
    lastBeatNanos = now;
    if (lateNanos > NOTICED_NANOS) {
      totalNanos += lateNanos;
    }
    if (lateNanos > FAULT_NANOS) {
      faultEndNanos = now;
      System.out.printf(
          "[testkit] the machine stood still for %d ms%n",
          TimeUnit.NANOSECONDS.toMillis(lateNanos));
    }
  }

  synchronized long total() {
    beat();
    return totalNanos;
  }

  synchronized boolean isCalm() {
    beat();
    return lastBeatNanos - faultEndNanos >= HEALED_WITHIN.toNanos();
  }

  Duration allowed(Duration promise) {
    return isCalm() ? promise : promise.plus(HEALED_WITHIN);
  }

  private void watch() {
    try {
      while (true) {
        TimeUnit.MILLISECONDS.sleep(BEAT_MS);
        beat();
      }
    } catch (InterruptedException e) {
      // The JVM ends.
    }
  }
}

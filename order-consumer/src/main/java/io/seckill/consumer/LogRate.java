package io.seckill.consumer;

/**
 * Bounds how often something that repeats is logged: once in ten seconds. Belongs to one event
 * loop.
 */
public final class LogRate {

  private static final long EVERY_NANOS = 10_000_000_000L;

  private long lastAtNanos = System.nanoTime() - EVERY_NANOS;

  /** Whether it may be logged now; then it may not for a while. */
  public boolean allows() {
    long now = System.nanoTime();
    if (now - lastAtNanos < EVERY_NANOS) {
      return false;
    }
    lastAtNanos = now;
    return true;
  }
}

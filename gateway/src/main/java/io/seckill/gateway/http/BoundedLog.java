package io.seckill.gateway.http;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that a storm cannot fill: at most some lines a second, and then how many were left out.
 * Safe for all threads.
 */
final class BoundedLog {

  private static final Logger LOG = LoggerFactory.getLogger(BoundedLog.class);
  private static final long LINES_PER_SECOND = 5;
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final LongSupplier nanoTime;
  private final AtomicLong second = new AtomicLong();
  private final AtomicLong lines = new AtomicLong();

  BoundedLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** An answer of the 5xx kind that stands in the error table: no stack trace would help. */
  void known(String route, String code, String detail) {
    if (mayWrite()) {
      LOG.warn("{} answered {}: {}", route, code, detail);
    }
  }

  /** A failure that nobody had foreseen. */
  void unexpected(String route, Throwable failure) {
    if (mayWrite()) {
      LOG.error("{} failed", route, failure);
    }
  }

  private boolean mayWrite() {
    long now = Math.floorDiv(nanoTime.getAsLong(), SECOND_NANOS);
    long before = second.get();
    if (now != before && second.compareAndSet(before, now)) {
      long leftOut = lines.getAndSet(0) - LINES_PER_SECOND;
      if (leftOut > 0) {
        LOG.warn("{} lines about failed requests were left out", leftOut);
      }
    }
    return lines.incrementAndGet() <= LINES_PER_SECOND;
  }
}

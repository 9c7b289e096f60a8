package io.seckill.gateway;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A monotonic clock that tests move by hand. It starts close to the overflow on purpose. */
public final class ManualClock implements LongSupplier {

  private final AtomicLong nanos =
      new AtomicLong(Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(1));

  @Override
  public long getAsLong() {
    return nanos.get();
  }

  /** Lets time pass. */
  public void passMs(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }
}

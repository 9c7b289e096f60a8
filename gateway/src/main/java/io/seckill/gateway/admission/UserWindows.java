package io.seckill.gateway.admission;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.seckill.common.config.SeckillConfig;
import io.seckill.common.id.UserId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How often one user may reach the engine: an exact sliding window over this process. What it
 * refuses it does not count, so hammering never lengthens the wait. The window that holds over all
 * processes is the script's, in the user's shard; this one only keeps a single clicker away from
 * it.
 *
 * <p>Safe for all threads; shared by all instances of a process. The table is bounded; a user who
 * falls out of it starts afresh.
 */
public final class UserWindows {

  private final LoadingCache<UserId, Window> windows;
  private final LongSupplier nanoTime;
  private final long lengthNanos;

  /**
   * Makes an empty table.
   *
   * @param config purchases in a window, its length, size of the table
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public UserWindows(SeckillConfig.Admission config, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    lengthNanos = TimeUnit.MILLISECONDS.toNanos(config.userWindowMs());
    int most = config.userPerWindow();
    windows =
        Caffeine.newBuilder()
            .maximumSize(config.userTableSize())
            .expireAfterAccess(Duration.ofNanos(lengthNanos))
            .ticker(nanoTime::getAsLong)
            .executor(Runnable::run)
            .build(user -> new Window(most));
  }

  /**
   * Counts one purchase when it fits.
   *
   * @return 0 when it fits, else the nanoseconds until one does
   */
  public long tryEnter(UserId user) {
    return windows.get(user).tryEnter(nanoTime.getAsLong(), lengthNanos);
  }

  /** The latest times of entry, as many as may lie in one window, in a ring. */
  private static final class Window {

    private final long[] enteredNanos;
    private int count;
    private int oldest;

    Window(int most) {
      enteredNanos = new long[most];
    }

    synchronized long tryEnter(long nowNanos, long lengthNanos) {
      if (count < enteredNanos.length) {
        enteredNanos[count++] = nowNanos;
        return 0;
      }
      long ageNanos = nowNanos - enteredNanos[oldest];
      if (ageNanos < lengthNanos) {
        return lengthNanos - ageNanos;
      }
      enteredNanos[oldest] = nowNanos;
      oldest = (oldest + 1) % enteredNanos.length;
      return 0;
    }
  }
}

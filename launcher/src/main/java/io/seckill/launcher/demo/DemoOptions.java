package io.seckill.launcher.demo;

import io.seckill.launcher.load.CrowdSize;
import java.time.Duration;
import java.util.Optional;

/**
 * What sale to show.
 *
 * @param stock units, 1 … {@value #MAX_STOCK}
 * @param crowd who comes
 * @param shards S of the shown system, 1 … 1,023
 * @param play how the crowd goes about it
 * @param paying whether and how wins are paid; empty: nobody pays, and nothing runs out meanwhile
 */
public record DemoOptions(
    int stock, CrowdSize crowd, int shards, Play play, Optional<Paying> paying) {

  /** Every win is kept and read back. */
  public static final int MAX_STOCK = 1_000_000;

  /** Checks the ranges. */
  public DemoOptions {
    check("stock", stock, 1, MAX_STOCK);
    check("shards", shards, 1, 1_023);
  }

  /**
   * How a crowd goes about it.
   *
   * @param connections keep-alive connections
   * @param seed decides all chance
   * @param warmUp how long another item is sold before the clock starts, 0 for not at all
   */
  public record Play(int connections, long seed, Duration warmUp) {

    /** Checks the ranges. */
    public Play {
      check("connections", connections, 1, 10_000);
      check("warm-up", warmUp.toMillis(), 0, 60_000);
    }
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", not " + value);
    }
  }
}

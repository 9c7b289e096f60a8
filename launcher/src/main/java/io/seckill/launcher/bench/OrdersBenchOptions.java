package io.seckill.launcher.bench;

import java.time.Duration;

/**
 * How large {@code bench orders} is.
 *
 * @param shards S: so many logs are stored at once, and so many connections each baseline has
 * @param rounds measurements of each kind
 * @param orders of each measurement, here and in the bare loop
 * @param single how long orders are stored one by one in each round
 */
public record OrdersBenchOptions(int shards, int rounds, int orders, Duration single) {

  static final int IN_FLIGHT = 1_024;

  /** Checks the ranges. */
  public OrdersBenchOptions {
    EngineBenchOptions.check("shards", shards, 1, 4);
    EngineBenchOptions.check("rounds", rounds, 1, 20);
    EngineBenchOptions.check("orders", orders, 100, 500_000);
    EngineBenchOptions.check("orders of all rounds", (long) rounds * orders, 1, 1_000_000);
    EngineBenchOptions.check("milliseconds one by one", single.toMillis(), 10, 60_000);
  }
}

package io.seckill.launcher.bench;

import java.time.Duration;

/**
 * How large {@code bench memory} is.
 *
 * @param wins of the item whose memory is measured, and whose receipts are removed at the end
 * @param receipts of the item that sells with many receipts
 * @param stock of the item that sells with a large stock
 * @param rounds measurements of each kind
 * @param purchases of each measurement
 */
public record MemoryBenchOptions(int wins, int receipts, int stock, int rounds, int purchases) {

  /** Units of each item of the series that the others are compared with. */
  public static final int FEW = 1_000;

  static final int IN_FLIGHT = 1_024;

  /** A measurement that takes this long has failed. */
  static final Duration BOUND = Duration.ofMinutes(5);

  /** Checks the ranges. */
  public MemoryBenchOptions {
    EngineBenchOptions.check("wins", wins, 100, 1_500_000);
    EngineBenchOptions.check("receipts", receipts, FEW, 20_000_000);
    EngineBenchOptions.check("stock", stock, FEW, 1_000_000_000);
    EngineBenchOptions.check("rounds", rounds, 1, 20);
    EngineBenchOptions.check("purchases", purchases, FEW, 100_000);
    EngineBenchOptions.check("purchases of all rounds", (long) rounds * purchases, 1, 400_000);
  }
}

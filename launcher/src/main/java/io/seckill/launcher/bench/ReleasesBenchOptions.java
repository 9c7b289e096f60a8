package io.seckill.launcher.bench;

/**
 * How large {@code bench releases} is.
 *
 * @param shards S
 * @param orders that are due at once
 * @param few orders that are due one after the other
 * @param salePerSecond purchases of the sale beside
 */
public record ReleasesBenchOptions(int shards, int orders, int few, int salePerSecond) {

  /** Checks the ranges. */
  public ReleasesBenchOptions {
    EngineBenchOptions.check("shards", shards, 1, 16);
    EngineBenchOptions.check("orders", orders, 100, 500_000);
    EngineBenchOptions.check("few", few, 1, 100);
    EngineBenchOptions.check("sale", salePerSecond, 1, 10_000);
  }
}

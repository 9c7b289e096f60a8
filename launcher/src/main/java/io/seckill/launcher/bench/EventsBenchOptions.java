package io.seckill.launcher.bench;

/**
 * How large {@code bench events} is.
 *
 * @param streams that are open while it is measured how long news take
 * @param most that are open at once in the second part
 * @param perSecond purchases of their owners, each buys once
 */
public record EventsBenchOptions(int streams, int most, int perSecond) {

  /** What one gateway holds unless it is told otherwise. */
  private static final int MAX_STREAMS = 10_000;

  /** Checks the ranges. */
  public EventsBenchOptions {
    EngineBenchOptions.check("streams", streams, 1, MAX_STREAMS);
    EngineBenchOptions.check("most", most, 1, MAX_STREAMS);
    EngineBenchOptions.check("sale", perSecond, 1, 10_000);
  }
}

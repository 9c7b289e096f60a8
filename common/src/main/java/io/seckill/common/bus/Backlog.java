package io.seckill.common.bus;

/**
 * What the logs of a region hold that is not stored yet, and how it goes down.
 *
 * @param drainMs estimate of the milliseconds until everything that waits now is stored: that of
 *     the shard that needs longest. 0 when nothing waits. While storing stands still it grows with
 *     the time that it has stood, from what the pace before promised
 * @param storedPerSecond changes that all shards together store in a second, as the last seconds
 *     showed; means nothing while nothing waits
 * @param fullPerMille how full the fullest log is, in thousandths of {@code engine.maxLogEntries};
 *     may pass 1,000, because only purchases are refused by that bound
 */
public record Backlog(long drainMs, long storedPerSecond, int fullPerMille) {

  /** Nothing waits. */
  public static final Backlog NONE = new Backlog(0, 0, 0);

  /**
   * The last tenth of a log is for what is on its way while a board travels, and for changes that
   * buyers do not ask for.
   */
  private static final int MAX_FULL_PER_MILLE = 900;

  /** Whether a log is so full that buyers may not add to it. */
  public boolean nearlyFull() {
    return fullPerMille > MAX_FULL_PER_MILLE;
  }
}

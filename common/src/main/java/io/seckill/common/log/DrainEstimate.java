package io.seckill.common.log;

/**
 * How long it takes until everything that waits in one shard's log is stored, guessed from readings
 * of where the log ends and how much of it waits.
 *
 * <p>Storing shows its pace only while it has work: between two readings of which the later one
 * still finds something waiting that the earlier one found, and more than was stored between them;
 * else the pace is that of selling. One that was seen while less waited says little of a crowd, so
 * the estimate is never more than {@value #PATIENCE} times as long as anything has really waited: a
 * burst is judged by what storing makes of it. While storing stands still nothing is learnt of the
 * pace; then the time that it has stood is added to what the pace before promises, because who has
 * waited for a minute may well wait for another.
 *
 * <p>Plain values in and out; belongs to one thread.
 */
public final class DrainEstimate {

  /** What was seen this long ago counts for a third of what is seen now. */
  private static final double PACE_SECONDS = 10;

  /** The same for what is stored at present, which follows a standstill sooner. */
  private static final double PRESENT_SECONDS = 5;

  /** What a standstill that has ended counts for as pace, at most: an outage is no pace. */
  private static final double MAX_STANDSTILL_SECONDS = 10;

  /** Readings further apart tell that the reader was away, not that storing was slow. */
  private static final double MAX_GAP_SECONDS = 15;

  /**
   * With ten a bound of 30 seconds is reached after three seconds of waiting: twelve readings, time
   * for a pace to show.
   */
  private static final int PATIENCE = 10;

  private Reading last;
  private boolean isBehind;

  /** Seconds in which something waited, and what was stored in them; the past fades. */
  private double busySeconds;

  private double busyStored;
  private double perSecond;

  /** For how long nothing has been stored although something waited. */
  private double standstillSeconds;

  /** A number of the log that is waited for, how long it has been, and how long the one before. */
  private long awaited;

  private double awaitedSeconds;
  private double lastAwaitedSeconds;

  private record Reading(long nanos, long epoch, long seq, long unstored) {

    long stored() {
      return seq - unstored;
    }
  }

  /**
   * Takes a reading.
   *
   * @param nowNanos a monotonic clock, nanoseconds
   * @param epoch the shard's epoch
   * @param seq the last number given out in it
   * @param unstored how many numbers wait to be stored, of earlier epochs too
   */
  public void read(long nowNanos, long epoch, long seq, long unstored) {
    Reading before = last;
    last = new Reading(nowNanos, epoch, seq, unstored);
    if (before == null || before.epoch() != epoch) {
      rest();
      return;
    }
    double seconds = (nowNanos - before.nanos()) / 1e9;
    if (seconds > 0 && seconds <= MAX_GAP_SECONDS) {
      passed(before, seconds);
    }
  }

  private void passed(Reading before, double seconds) {
    double stored = Math.max(0, last.stored() - before.stored());
    perSecond += (stored / seconds - perSecond) * -Math.expm1(-seconds / PRESENT_SECONDS);
    if (last.stored() >= before.seq()) {
      // What waited at the last reading is stored: since then storing may as well have rested.
      rest();
      return;
    }
    isBehind = true;
    standstillSeconds += seconds;
    if (stored > 0) {
      if (last.unstored() > stored) {
        double worked = Math.min(standstillSeconds, MAX_STANDSTILL_SECONDS);
        double faded = Math.exp(-worked / PACE_SECONDS);
        busySeconds = busySeconds * faded + worked;
        busyStored = busyStored * faded + stored;
      }
      standstillSeconds = 0;
    }
    awaitedSeconds += seconds;
    if (last.stored() >= awaited) {
      lastAwaitedSeconds = awaitedSeconds;
      awaitedSeconds = 0;
      awaited = last.seq();
    }
  }

  private void rest() {
    isBehind = false;
    standstillSeconds = 0;
    awaitedSeconds = 0;
    lastAwaitedSeconds = 0;
    awaited = last.seq();
  }

  /** Numbers that wait to be stored. */
  public long unstored() {
    return last == null ? 0 : last.unstored();
  }

  /** Changes stored in a second at present, a mean over some seconds; 0 or more. */
  public double perSecond() {
    return perSecond;
  }

  /** Milliseconds until what waits is stored; 0 when what waits has only just come. */
  public long drainMs() {
    if (!isBehind) {
      return 0;
    }
    double waitedSeconds = Math.max(awaitedSeconds, lastAwaitedSeconds);
    double seconds =
        busyStored > 0
            ? standstillSeconds + unstored() * busySeconds / busyStored
            : standstillSeconds;
    return Math.round(Math.min(seconds, PATIENCE * waitedSeconds) * 1_000);
  }
}

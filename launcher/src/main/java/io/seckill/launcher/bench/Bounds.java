package io.seckill.launcher.bench;

import java.time.Duration;

/**
 * What ends a measurement, whichever comes first. What is under way then is still answered.
 *
 * @param purchases that are sent
 * @param wins that are answered
 * @param time from the first to the last sending
 */
record Bounds(long purchases, long wins, Duration time) {

  /** Beyond it a hang is a hang. */
  private static final Duration ANSWERS = Duration.ofSeconds(30);

  /** As long as this lasts. */
  static Bounds of(Duration time) {
    return new Bounds(Long.MAX_VALUE, Long.MAX_VALUE, time);
  }

  /** The same with at most so many purchases. */
  Bounds atMost(long count) {
    return new Bounds(count, wins, time);
  }

  /** The same until so many wins are answered. */
  Bounds untilWins(long count) {
    return new Bounds(purchases, count, time);
  }

  /** How long to wait for the end of it all. */
  Duration waiting() {
    return time.plus(ANSWERS);
  }
}

package io.seckill.launcher.bench;

/**
 * What a baseline did in a measurement.
 *
 * @param calls answered calls
 * @param wins those that took a unit
 * @param seconds from the first sending to the last answer
 */
record Rate(long calls, long wins, double seconds) {

  double perSecond() {
    return seconds > 0 ? calls / seconds : 0;
  }
}

package io.seckill.launcher.bench;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * One unit for each order that is due comes back, in the order in which they are due, and none
 * before its time. Belongs to one thread.
 */
final class ReturningUnits {

  private final List<Long> dueMs;
  private int back;
  private int early;
  private long worstMs;

  /** None is back. */
  ReturningUnits(Collection<Long> dueMs) {
    this.dueMs = dueMs.stream().sorted().toList();
  }

  /**
   * Counts those that came back since the last look.
   *
   * @param units that are back by now
   * @param nowMs after they were counted, by the clock that the orders are due by
   */
  void saw(long units, long nowMs) {
    for (; back < Math.min(units, dueMs.size()); back++) {
      long lateMs = nowMs - dueMs.get(back);
      worstMs = Math.max(worstMs, lateMs);
      early += lateMs < 0 ? 1 : 0;
    }
  }

  boolean areAllBack() {
    return back == dueMs.size();
  }

  /** How late the latest was seen, 0 when none was late. */
  long worstMs() {
    return worstMs;
  }

  /** Why it is a FAIL; nothing when none came before its time. */
  Optional<String> tooEarly() {
    return early == 0
        ? Optional.empty()
        : Optional.of("%d of %d units were back before they were due".formatted(early, back));
  }
}

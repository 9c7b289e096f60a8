package io.seckill.engine;

import io.seckill.common.id.UserId;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts undecided purchases for each user, so that one who hammers takes no more than his share of
 * the batches. Holds only users who have some. Belongs to one thread.
 */
final class UserTally {

  private final int bound;
  private final Map<UserId, Count> counts = new HashMap<>();

  private static final class Count {
    private int value;
  }

  /**
   * Makes an empty tally.
   *
   * @param bound undecided purchases that one user may have
   */
  UserTally(int bound) {
    this.bound = bound;
  }

  /** Whether the user has as many as he may. */
  boolean isHot(UserId user) {
    Count count = counts.get(user);
    return count != null && count.value >= bound;
  }

  /** Counts one more, whatever the bound. */
  void enter(UserId user) {
    Count count = counts.get(user);
    if (count == null) {
      count = new Count();
      counts.put(user, count);
    }
    count.value++;
  }

  /** Counts one less; each is to leave as often as it entered. */
  void leave(UserId user) {
    Count count = counts.get(user);
    count.value--;
    if (count.value == 0) {
      counts.remove(user);
    }
  }

  /** How many users have some. */
  int users() {
    return counts.size();
  }
}

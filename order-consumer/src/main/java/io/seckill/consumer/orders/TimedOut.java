package io.seckill.consumer.orders;

import io.seckill.common.id.UserId;
import io.seckill.common.id.WinId;
import java.util.List;

/**
 * An order whose time to pay ended.
 *
 * @param win its name
 * @param user whose it was
 * @param promoted whether the units came from the waitlist
 */
record TimedOut(WinId win, UserId user, boolean promoted) {

  /** Their names. */
  static List<WinId> wins(List<TimedOut> orders) {
    return orders.stream().map(TimedOut::win).toList();
  }
}

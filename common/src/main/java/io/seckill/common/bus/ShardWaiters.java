package io.seckill.common.bus;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import java.util.List;

/**
 * A page of those who wait for units in a shard, as its stored log says.
 *
 * @param waiters in the order in which they joined, over all items
 * @param more whether others follow
 */
public record ShardWaiters(List<Waiter> waiters, boolean more) {

  /** Copies the list. */
  public ShardWaiters {
    waiters = List.copyOf(waiters);
  }

  /**
   * One who waits.
   *
   * @param item for a unit of what
   * @param user who
   * @param joined his join entry
   * @param atMs when he joined, Redis time
   */
  public record Waiter(ItemId item, UserId user, EntryId joined, long atMs) {}
}

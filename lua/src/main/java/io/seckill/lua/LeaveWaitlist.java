package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.vertx.core.Future;
import java.util.List;

/** {@code leave_waitlist.lua}: takes a user out of the line for an item. */
public final class LeaveWaitlist {

  private static final Script SCRIPT = Script.load("leave_waitlist");

  private LeaveWaitlist() {}

  /** Who no longer waits for what. */
  public record Args(UserId user, ItemId item) {}

  /**
   * Leaves: OK, ALREADY (he does not wait, or the item is not known here), LOST, NOT_WRITTEN,
   * FENCED, FROZEN or EXPIRED.
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Args leave, long timeoutMs) {
    ItemId item = leave.item();
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.log(), keys.item(item), keys.waitlist(item)),
            List.of(item.toString(), leave.user().value()),
            timeoutMs)
        .map(StepResult::of);
  }
}

package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** {@code remove_item.lua}: takes an archived item out of a shard. */
public final class RemoveItem {

  /** Receipts that one call takes off the holdings of a group: about a millisecond. */
  static final int RECEIPTS_A_CALL = 1_000;

  private static final Script SCRIPT = Script.load("remove_item");

  private RemoveItem() {}

  /**
   * What to remove.
   *
   * @param item which
   * @param generation the generation with which the ledger archived it
   * @param group id of its group, empty without one
   */
  public record Args(ItemId item, long generation, String group) {}

  /**
   * Removes: OK, ALREADY (not known here), MORE (receipts of an item of a group are left: call
   * again), STALE, GROUP (the shard knows another group), LOST, NOT_WRITTEN, FENCED, FROZEN or
   * EXPIRED.
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Args removal, long timeoutMs) {
    ItemId item = removal.item();
    List<String> scriptKeys =
        new ArrayList<>(
            List.of(
                keys.head(),
                keys.log(),
                keys.items(),
                keys.item(item),
                keys.stock(item),
                keys.receipts(item),
                keys.waitlist(item)));
    if (!removal.group().isEmpty()) {
      scriptKeys.add(keys.held(removal.group()));
    }
    return SCRIPT
        .run(
            link,
            fence,
            scriptKeys,
            List.of(
                item.toString(),
                Long.toString(removal.generation()),
                removal.group(),
                Integer.toString(RECEIPTS_A_CALL)),
            timeoutMs)
        .map(StepResult::of);
  }
}

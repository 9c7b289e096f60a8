package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import java.util.List;

/** {@code forget_item.lua}: takes an item away that the ledger has never seen in this shard. */
public final class ForgetItem {

  private static final Script SCRIPT = Script.load("forget_item");

  private ForgetItem() {}

  /** Forgets: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, ItemId item, long timeoutMs) {
    return SCRIPT
        .run(
            link,
            fence,
            List.of(
                keys.head(),
                keys.items(),
                keys.item(item),
                keys.stock(item),
                keys.receipts(item),
                keys.waitlist(item)),
            List.of(item.toString()),
            timeoutMs)
        .map(StepResult::of);
  }
}

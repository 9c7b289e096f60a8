package io.seckill.lua;

import io.seckill.common.item.ItemDefinition;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code restore_item.lua}: writes an item as the ledger knows it into a shard that has lost it.
 */
public final class RestoreItem {

  private static final Script SCRIPT = Script.load("restore_item");

  private RestoreItem() {}

  /**
   * What the ledger knows of the item in this shard.
   *
   * @param lastMove number of the last stored move
   * @param adds entries of units so far
   * @param sent units sent to other shards
   * @param received units received from other shards
   * @param granted units that came in, less what went out for good; without those between shards
   * @param stock units to sell
   */
  public record Counters(
      long lastMove, long adds, long sent, long received, long granted, long stock) {}

  /** Restores: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link,
      Fence fence,
      RedisKeys keys,
      ItemDefinition item,
      PutItem.ItemVersion version,
      Counters counters,
      long timeoutMs) {
    List<String> args = new ArrayList<>();
    args.add(item.id().toString());
    args.add(Long.toString(version.generation()));
    args.add(version.state().name());
    ItemFields.append(args, item);
    args.add(Long.toString(counters.lastMove()));
    args.add(Long.toString(counters.adds()));
    args.add(Long.toString(counters.sent()));
    args.add(Long.toString(counters.received()));
    args.add(Long.toString(counters.granted()));
    args.add(Long.toString(counters.stock()));
    return SCRIPT
        .run(
            link,
            fence,
            List.of(
                keys.head(),
                keys.items(),
                keys.item(item.id()),
                keys.stock(item.id()),
                keys.receipts(item.id()),
                keys.waitlist(item.id())),
            args,
            timeoutMs)
        .map(StepResult::of);
  }
}

package io.seckill.lua;

import io.seckill.common.item.ItemDefinition;
import io.seckill.common.item.ItemState;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** {@code put_item.lua}: brings an item's definition and state to a shard. */
public final class PutItem {

  private static final Script SCRIPT = Script.load("put_item");

  private PutItem() {}

  /**
   * Puts it: OK, ALREADY, STALE, NOT_READY (an item comes as PREPARED and opens after its first
   * move), LOST, NOT_WRITTEN, FENCED, FROZEN or EXPIRED.
   */
  public static Future<StepResult> run(
      RedisLink link,
      Fence fence,
      RedisKeys keys,
      ItemDefinition item,
      ItemVersion version,
      long timeoutMs) {
    List<String> args = new ArrayList<>();
    args.add(item.id().toString());
    args.add(Long.toString(version.generation()));
    args.add(version.state().name());
    ItemFields.append(args, item);
    return SCRIPT
        .run(
            link,
            fence,
            List.of(
                keys.head(), keys.log(), keys.items(), keys.item(item.id()), keys.stock(item.id())),
            args,
            timeoutMs)
        .map(StepResult::of);
  }

  /**
   * The generation and the state that goes with it.
   *
   * @param generation 1 or more
   * @param state any but CREATED
   */
  public record ItemVersion(long generation, ItemState state) {}
}

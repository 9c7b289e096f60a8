package io.seckill.lua;

import io.seckill.common.bus.SalesRecord;
import io.vertx.core.Future;
import java.util.List;

/** {@code open_shard.lua}: lets a repaired shard sell. */
public final class OpenShard {

  private static final Script SCRIPT = Script.load("open_shard");

  private OpenShard() {}

  /**
   * Opens: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED.
   *
   * @param sales the stop switch as the ledger knows it; a shard that knows a later one keeps it
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, SalesRecord sales, long timeoutMs) {
    return SCRIPT
        .run(link, fence, List.of(keys.head()), SalesFields.of(sales), timeoutMs)
        .map(StepResult::of);
  }
}

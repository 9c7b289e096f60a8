package io.seckill.lua;

import io.vertx.core.Future;
import java.util.List;

/** {@code renew_repair.lua}: says that the opener of a shard is alive. */
public final class RenewRepair {

  private static final Script SCRIPT = Script.load("renew_repair");

  private RenewRepair() {}

  /** Renews: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, long timeoutMs) {
    return SCRIPT.run(link, fence, List.of(keys.head()), List.of(), timeoutMs).map(StepResult::of);
  }
}

package io.seckill.lua;

import io.vertx.core.Future;
import java.util.List;

/** {@code open_shard.lua}: lets a repaired shard sell. */
public final class OpenShard {

  private static final Script SCRIPT = Script.load("open_shard");

  private OpenShard() {}

  /** Opens: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, long timeoutMs) {
    return SCRIPT.run(link, fence, List.of(keys.head()), List.of(), timeoutMs).map(StepResult::of);
  }
}

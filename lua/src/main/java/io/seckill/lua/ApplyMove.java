package io.seckill.lua;

import io.seckill.common.item.Move;
import io.vertx.core.Future;
import java.util.List;

/** {@code apply_move.lua}: lets units into a shard, once and in order. */
public final class ApplyMove {

  private static final Script SCRIPT = Script.load("apply_move");

  private ApplyMove() {}

  /**
   * Applies it: OK, ALREADY, GAP, NOT_READY, LOST, NOT_WRITTEN, FENCED, FROZEN or EXPIRED.
   *
   * @param move a move in
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Move move, long timeoutMs) {
    if (!move.kind().isIn()) {
      throw new IllegalArgumentException(move.kind() + " lets no units in");
    }
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.log(), keys.item(move.item()), keys.stock(move.item())),
            List.of(
                move.item().toString(),
                Long.toString(move.number()),
                Long.toString(move.units()),
                move.kind().name()),
            timeoutMs)
        .map(StepResult::of);
  }
}

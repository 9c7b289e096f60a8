package io.seckill.lua;

import io.seckill.common.item.Move;
import io.vertx.core.Future;
import java.util.List;

/**
 * {@code apply_move.lua}: lets units into a shard, once and in order. They go to those who wait for
 * them first.
 */
public final class ApplyMove {

  private static final Script SCRIPT = Script.load("apply_move");

  private ApplyMove() {}

  /**
   * What to apply.
   *
   * @param move a move in
   * @param group id of the item's group, empty without one
   */
  public record Args(Move move, String group) {}

  /**
   * Applies it: OK, ALREADY, GAP, NOT_READY, GROUP (the shard knows another group), LOST,
   * NOT_WRITTEN, FENCED, FROZEN or EXPIRED.
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Args args, long timeoutMs) {
    Move move = args.move();
    if (!move.kind().isIn()) {
      throw new IllegalArgumentException(move.kind() + " lets no units in");
    }
    return SCRIPT
        .run(
            link,
            fence,
            JoinWaitlist.keysOf(keys, move.item(), args.group()),
            List.of(
                move.item().toString(),
                args.group(),
                Long.toString(move.number()),
                Long.toString(move.units()),
                move.kind().name()),
            timeoutMs)
        .map(StepResult::ofUnitsIn);
  }
}

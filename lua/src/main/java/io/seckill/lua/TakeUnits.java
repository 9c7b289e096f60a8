package io.seckill.lua;

import io.seckill.common.item.Move;
import io.vertx.core.Future;
import java.util.List;

/** {@code take_units.lua}: takes units out of a shard for good, once and in order. */
public final class TakeUnits {

  private static final Script SCRIPT = Script.load("take_units");

  private TakeUnits() {}

  /**
   * Takes what is there, at most the move's units: held units stay. OK, ALREADY, GAP, NOT_READY,
   * LOST, NOT_WRITTEN, FENCED, FROZEN or EXPIRED. How many really went is in the log entry.
   *
   * @param move a move out
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Move move, long timeoutMs) {
    if (move.kind().isIn()) {
      throw new IllegalArgumentException(move.kind() + " lets units in");
    }
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.log(), keys.item(move.item()), keys.stock(move.item())),
            List.of(
                move.item().toString(), Long.toString(move.number()), Long.toString(move.units())),
            timeoutMs)
        .map(StepResult::of);
  }
}

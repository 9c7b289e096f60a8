package io.seckill.lua;

import io.seckill.common.bus.SalesRecord;
import io.vertx.core.Future;
import java.util.List;

/** {@code switch_sales.lua}: brings the stop switch of all sales to a shard. */
public final class SwitchSales {

  private static final Script SCRIPT = Script.load("switch_sales");

  private SwitchSales() {}

  /** Brings it: OK, ALREADY, STALE, NOT_WRITTEN, FENCED, FROZEN or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, SalesRecord sales, long timeoutMs) {
    return SCRIPT
        .run(link, fence, List.of(keys.head(), keys.log()), SalesFields.of(sales), timeoutMs)
        .map(StepResult::of);
  }
}

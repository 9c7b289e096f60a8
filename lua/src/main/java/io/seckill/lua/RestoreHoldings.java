package io.seckill.lua;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code restore_holdings.lua}: writes what users hold of a group as the ledger knows it. */
public final class RestoreHoldings {

  /** Users in one call: keeps a call short while other shards of the server sell. */
  public static final int MAX_USERS = 1_000;

  private static final Script SCRIPT = Script.load("restore_holdings");

  private RestoreHoldings() {}

  /**
   * A page.
   *
   * @param group id of the group
   * @param isFirst whether it is the first page: what the shard held before is cleared
   * @param units user → units held, 1 or more; at most {@value #MAX_USERS} users, and only the
   *     first page may be empty
   */
  public record Page(String group, boolean isFirst, Map<String, Long> units) {}

  /** Restores: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Page page, long timeoutMs) {
    if (page.units().size() > MAX_USERS || (page.units().isEmpty() && !page.isFirst())) {
      throw new IllegalArgumentException("1 to " + MAX_USERS + " users");
    }
    List<String> args = new ArrayList<>(1 + 2 * page.units().size());
    args.add(page.isFirst() ? "1" : "0");
    page.units()
        .forEach(
            (user, units) -> {
              args.add(user);
              args.add(Long.toString(units));
            });
    return SCRIPT
        .run(link, fence, List.of(keys.head(), keys.held(page.group())), args, timeoutMs)
        .map(StepResult::of);
  }
}

package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code restore_receipts.lua}: writes users' receipts of an item as the ledger knows them. */
public final class RestoreReceipts {

  /** Users in one call: keeps a call short while other shards of the server sell. */
  public static final int MAX_USERS = 1_000;

  private static final Script SCRIPT = Script.load("restore_receipts");

  private RestoreReceipts() {}

  /**
   * Restores: OK, FENCED, FROZEN (it is not being repaired) or EXPIRED.
   *
   * @param receipts user → receipt as {@code receipts.lua} writes it; 1 to {@value #MAX_USERS}
   */
  public static Future<StepResult> run(
      RedisLink link,
      Fence fence,
      RedisKeys keys,
      ItemId item,
      Map<String, String> receipts,
      long timeoutMs) {
    if (receipts.isEmpty() || receipts.size() > MAX_USERS) {
      throw new IllegalArgumentException("1 to " + MAX_USERS + " receipts");
    }
    List<String> args = new ArrayList<>(2 * receipts.size());
    receipts.forEach(
        (user, receipt) -> {
          args.add(user);
          args.add(receipt);
        });
    return SCRIPT
        .run(link, fence, List.of(keys.head(), keys.receipts(item)), args, timeoutMs)
        .map(StepResult::of);
  }
}

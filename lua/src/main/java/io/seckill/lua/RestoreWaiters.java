package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** {@code restore_waiters.lua}: writes the line for an item as the ledger knows it. */
public final class RestoreWaiters {

  /** Users in one call: keeps a call short while other shards of the server sell. */
  public static final int MAX_USERS = 1_000;

  private static final Script SCRIPT = Script.load("restore_waiters");

  private RestoreWaiters() {}

  /**
   * A page of the line.
   *
   * @param item what they wait for; it is restored before
   * @param isFirst whether it is the first page: what the shard held before is cleared
   * @param waiters in the order of their join entries, behind those of the pages before; at most
   *     {@value #MAX_USERS}, and only the first page may be empty
   */
  public record Page(ItemId item, boolean isFirst, List<Waiter> waiters) {

    /** Copies the list. */
    public Page {
      waiters = List.copyOf(waiters);
    }
  }

  /**
   * A user in line.
   *
   * @param user who
   * @param joinedAtMs Redis time of his join entry
   */
  public record Waiter(UserId user, long joinedAtMs) {}

  /**
   * Restores: OK, NOT_READY (the item is not here), FENCED, FROZEN (it is not being repaired) or
   * EXPIRED.
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Page page, long timeoutMs) {
    if (page.waiters().size() > MAX_USERS || (page.waiters().isEmpty() && !page.isFirst())) {
      throw new IllegalArgumentException("1 to " + MAX_USERS + " users");
    }
    List<String> args = new ArrayList<>(1 + 2 * page.waiters().size());
    args.add(page.isFirst() ? "1" : "0");
    for (Waiter waiter : page.waiters()) {
      args.add(waiter.user().value());
      args.add(Long.toString(waiter.joinedAtMs()));
    }
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.item(page.item()), keys.waitlist(page.item())),
            args,
            timeoutMs)
        .map(StepResult::of);
  }
}

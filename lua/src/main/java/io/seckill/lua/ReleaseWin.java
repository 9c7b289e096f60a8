package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * {@code release_win.lua}: gives the units and the quota of one held win back, once. Units that
 * come into stock go to those who wait for them first.
 */
public final class ReleaseWin {

  private static final Script SCRIPT = Script.load("release_win");

  private ReleaseWin() {}

  /**
   * What to release.
   *
   * @param user whose win
   * @param win its place in the shard's log
   * @param reason a word for people
   * @param items the items of its lines, all of them
   * @param groups which of them have a group
   */
  public record Args(
      UserId user, EntryId win, String reason, List<ItemId> items, ItemGroups groups) {}

  /**
   * Releases: OK, ALREADY, NOT_FOUND, GROUP (the shard knows another group of an item), LOST,
   * NOT_WRITTEN, FENCED, FROZEN or EXPIRED.
   */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, Args release, long timeoutMs) {
    List<String> scriptKeys = new ArrayList<>(List.of(keys.head(), keys.log()));
    List<String> args =
        new ArrayList<>(
            List.of(release.user().value(), release.win().toString(), release.reason()));
    args.add(Integer.toString(release.items().size()));
    Set<String> groups = new LinkedHashSet<>();
    for (ItemId item : release.items()) {
      scriptKeys.add(keys.item(item));
      scriptKeys.add(keys.stock(item));
      scriptKeys.add(keys.receipts(item));
      scriptKeys.add(keys.waitlist(item));
      String group = release.groups().idOf(item);
      args.add(item.toString());
      args.add(group);
      if (!group.isEmpty()) {
        groups.add(group);
      }
    }
    groups.forEach(group -> scriptKeys.add(keys.held(group)));
    return SCRIPT.run(link, fence, scriptKeys, args, timeoutMs).map(StepResult::ofUnitsIn);
  }
}

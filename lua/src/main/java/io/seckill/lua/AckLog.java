package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** {@code ack_log.lua}: acknowledges stored entries and trims what nobody needs any more. */
public final class AckLog {

  /** Ids in one call: what Lua can spread over one command's arguments with room to spare. */
  public static final int MAX_IDS = 5_000;

  private static final Script SCRIPT = Script.load("ack_log");

  private AckLog() {}

  /** Acknowledges: OK, NOGROUP, FENCED (the ids come from another server) or EXPIRED. */
  public static Future<StepResult> run(
      RedisLink link, Fence fence, RedisKeys keys, List<EntryId> entries, long timeoutMs) {
    if (entries.isEmpty() || entries.size() > MAX_IDS) {
      throw new IllegalArgumentException("1 to " + MAX_IDS + " entries");
    }
    List<String> args = new ArrayList<>(1 + entries.size());
    args.add(RedisKeys.GROUP);
    for (EntryId entry : entries) {
      args.add(entry.toString());
    }
    return SCRIPT
        .run(link, fence, List.of(keys.head(), keys.log()), args, timeoutMs)
        .map(StepResult::of);
  }
}

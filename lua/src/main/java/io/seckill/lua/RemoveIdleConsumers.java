package io.seckill.lua;

import io.vertx.core.Future;
import java.util.List;

/** {@code remove_idle_consumers.lua}: keeps the names in the group of a log bounded. */
public final class RemoveIdleConsumers {

  private static final Script SCRIPT = Script.load("remove_idle_consumers");

  private RemoveIdleConsumers() {}

  /**
   * Whom to remove.
   *
   * @param caller the caller's own name
   * @param leaves whether the caller reads no more: then its own name goes as well
   * @param idleMs how long another consumer without pending entries has been silent, milliseconds
   */
  public record Args(String caller, boolean leaves, long idleMs) {}

  /** Removes them and tells how many; 0 also when the call was fenced or came too late. */
  public static Future<Integer> run(
      RedisLink link, Fence fence, RedisKeys keys, Args args, long timeoutMs) {
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.log()),
            List.of(
                RedisKeys.GROUP,
                args.caller(),
                Long.toString(args.idleMs()),
                args.leaves() ? "1" : ""),
            timeoutMs)
        .map(reply -> reply.get(0).toString().equals("OK") ? reply.get(1).toInteger() : 0);
  }
}

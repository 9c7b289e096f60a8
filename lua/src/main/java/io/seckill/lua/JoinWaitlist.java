package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.seckill.common.id.UserId;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;

/** {@code join_waitlist.lua}: puts a user into the line for one unit of an item. */
public final class JoinWaitlist {

  private static final Script SCRIPT = Script.load("join_waitlist");

  private JoinWaitlist() {}

  /**
   * Who wants to wait for what.
   *
   * @param user who; the shard is his
   * @param item what
   * @param group id of the item's group, empty without one
   * @param maxWaiters users in line for the item in this shard beyond which nobody may join
   * @param maxLogEntries changes in the log beyond which nobody may join
   */
  public record Args(UserId user, ItemId item, String group, long maxWaiters, long maxLogEntries) {}

  /** What became of the call. */
  public sealed interface Result {}

  /**
   * The user is in line.
   *
   * @param score his place among all waiters of the item, of other shards too: a lower one comes
   *     first
   * @param waiters users in line in this shard, him included
   * @param joined whether this call did it; false when he was there
   */
  public record InLine(long score, long waiters, boolean joined) implements Result {}

  /** The user is not in line, nothing was written. */
  public record NotInLine(Reason reason) implements Result {}

  /** Why nobody was put into line. */
  public enum Reason {
    /** The item is not known here or not preheated. */
    NOT_READY,
    /** Before the opening. */
    NOT_STARTED,
    /** After the end. */
    ENDED,
    /** Held by an operator: this item, or all sales by the stop switch. */
    PAUSED,
    /** The call named another group of the item than the shard knows. */
    GROUP,
    /** One unit more would exceed the limit of the item or of its group. */
    LIMIT,
    /** Units are left here and nobody waits for them: he can buy. */
    STOCK,
    /** The line is as long as it may be. */
    FULL,
    /** The log is at its memory bound. */
    LOG_FULL,
    /** Keys that must be there are not: the shard is frozen. */
    LOST,
    /** Redis refused the log entry. */
    NOT_WRITTEN,
    /** See {@link FenceStatus#FENCED}. */
    FENCED,
    /** See {@link FenceStatus#FROZEN}. */
    FROZEN,
    /** See {@link FenceStatus#EXPIRED}. */
    EXPIRED
  }

  /** Joins; a repetition does no harm. Fails with {@link RedisCallException}. */
  public static Future<Result> run(
      RedisLink link, Fence fence, RedisKeys keys, Args join, long timeoutMs) {
    return SCRIPT
        .run(
            link,
            fence,
            keysOf(keys, join.item(), join.group()),
            List.of(
                join.item().toString(),
                join.group(),
                join.user().value(),
                Long.toString(join.maxWaiters()),
                Long.toString(join.maxLogEntries())),
            timeoutMs)
        .map(JoinWaitlist::resultOf);
  }

  /** What a script needs that looks at a waiter and at what he holds. */
  static List<String> keysOf(RedisKeys keys, ItemId item, String group) {
    List<String> all =
        new ArrayList<>(
            List.of(
                keys.head(),
                keys.log(),
                keys.item(item),
                keys.stock(item),
                keys.receipts(item),
                keys.waitlist(item)));
    if (!group.isEmpty()) {
      all.add(keys.held(group));
    }
    return all;
  }

  private static Result resultOf(Response reply) {
    String word = reply.get(0).toString();
    return switch (word) {
      case "OK" -> new InLine(reply.get(1).toLong(), reply.get(2).toLong(), true);
      case "ALREADY" -> new InLine(reply.get(1).toLong(), reply.get(2).toLong(), false);
      default -> new NotInLine(Reason.valueOf(word));
    };
  }
}

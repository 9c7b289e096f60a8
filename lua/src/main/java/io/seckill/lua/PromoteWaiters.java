package io.seckill.lua;

import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;

/**
 * {@code promote_waiters.lua}: gives units that are in stock to those who wait for them. Whatever
 * brings units in does so by itself; this is for what it had to leave.
 */
public final class PromoteWaiters {

  /** Waiters that one call lets in at most: about a millisecond. */
  public static final int MAX_WAITERS = 200;

  private static final Script SCRIPT = Script.load("promote_waiters");

  private PromoteWaiters() {}

  /**
   * Whom to let in.
   *
   * @param item what they wait for
   * @param group id of the item's group, empty without one
   * @param most waiters to look at, 1 to {@value #MAX_WAITERS}
   * @param maxLogEntries changes in the log beyond which nobody is let in
   */
  public record Args(ItemId item, String group, int most, long maxLogEntries) {}

  /** What became of the call. */
  public sealed interface Result {}

  /**
   * The line is shorter.
   *
   * @param promoted waiters who got a unit
   * @param left waiters who are at their limit and left the line without a unit
   * @param stock units left; while it is above 0 and somebody waits, call again
   * @param waiters users who still wait in this shard
   */
  public record Promoted(long promoted, long left, long stock, long waiters) implements Result {}

  /** Nothing was changed. */
  public record NotPromoted(Reason reason) implements Result {}

  /** Why nobody was let in. */
  public enum Reason {
    /** There is no unit, nobody waits, or the item is not on sale now. */
    IDLE,
    /** The call named another group of the item than the shard knows. */
    GROUP,
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

  /** Promotes. Fails with {@link RedisCallException}. */
  public static Future<Result> run(
      RedisLink link, Fence fence, RedisKeys keys, Args promotion, long timeoutMs) {
    if (promotion.most() < 1 || promotion.most() > MAX_WAITERS) {
      throw new IllegalArgumentException("1 to " + MAX_WAITERS + " waiters");
    }
    return SCRIPT
        .run(
            link,
            fence,
            JoinWaitlist.keysOf(keys, promotion.item(), promotion.group()),
            List.of(
                promotion.item().toString(),
                promotion.group(),
                Integer.toString(promotion.most()),
                Long.toString(promotion.maxLogEntries())),
            timeoutMs)
        .map(PromoteWaiters::resultOf);
  }

  private static Result resultOf(Response reply) {
    String word = reply.get(0).toString();
    return word.equals("OK")
        ? new Promoted(
            reply.get(1).toLong(),
            reply.get(2).toLong(),
            reply.get(3).toLong(),
            reply.get(4).toLong())
        : new NotPromoted(Reason.valueOf(word));
  }
}

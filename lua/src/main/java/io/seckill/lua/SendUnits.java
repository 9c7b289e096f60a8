package io.seckill.lua;

import io.seckill.common.id.EntryId;
import io.seckill.common.id.ItemId;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.OptionalLong;

/** {@code send_units.lua}: takes units out of a shard for another one that has too few. */
public final class SendUnits {

  private static final Script SCRIPT = Script.load("send_units");

  private SendUnits() {}

  /**
   * What to send.
   *
   * @param item what
   * @param units how many at most, 1 or more
   * @param toShard where they go
   * @param seenSent units that the shard had sent when the plan was made; empty to send whatever
   *     others did meanwhile
   */
  public record Args(ItemId item, long units, int toShard, OptionalLong seenSent) {}

  /** What became of the call. */
  public sealed interface Result {}

  /**
   * Units are on their way: the ledger has to hear of it.
   *
   * @param entry the place in the sending shard's log
   * @param units how many really went, 1 or more
   * @param left units left in the sending shard
   * @param atMs Redis time of the entry
   */
  public record Sent(EntryId entry, long units, long left, long atMs) implements Result {}

  /** Nothing was sent. */
  public record NotSent(Reason reason) implements Result {}

  /** Why nothing was sent. */
  public enum Reason {
    /** The item is not known here, or not on sale yet. */
    NOT_READY,
    /** The sale is over. */
    ENDED,
    /** Another planner has sent units since. */
    MOVED_ON,
    /** This shard has no unit. */
    EMPTY,
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

  /** Sends. Fails with {@link RedisCallException}. */
  public static Future<Result> run(
      RedisLink link, Fence fence, RedisKeys keys, Args send, long timeoutMs) {
    if (send.units() < 1) {
      throw new IllegalArgumentException("1 or more units");
    }
    return SCRIPT
        .run(
            link,
            fence,
            List.of(keys.head(), keys.log(), keys.item(send.item()), keys.stock(send.item())),
            List.of(
                send.item().toString(),
                Long.toString(send.units()),
                Integer.toString(send.toShard()),
                send.seenSent().isPresent() ? Long.toString(send.seenSent().getAsLong()) : ""),
            timeoutMs)
        .map(SendUnits::resultOf);
  }

  private static Result resultOf(Response reply) {
    String word = reply.get(0).toString();
    return word.equals("OK")
        ? new Sent(
            EntryId.parse(reply.get(1).toString()),
            reply.get(2).toLong(),
            reply.get(3).toLong(),
            reply.get(4).toLong())
        : new NotSent(Reason.valueOf(word));
  }
}

package io.seckill.lua;

import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;

/** {@code freeze_shard.lua}: stops a shard under a newly claimed epoch. */
public final class FreezeShard {

  private static final Script SCRIPT = Script.load("freeze_shard");

  private FreezeShard() {}

  /** What became of the call. */
  public sealed interface Result {}

  /**
   * Frozen under the new epoch.
   *
   * @param lastEpoch the epoch that Redis had decided under, 0 when it knows none
   * @param lastSeq the last number that it had given out in it
   * @param headFound whether the head was there
   * @param damaged whether a script had found keys missing or spoilt
   */
  public record Frozen(long lastEpoch, long lastSeq, boolean headFound, boolean damaged)
      implements Result {}

  /** A later claim was here first. */
  public record Stale(long headEpoch) implements Result {}

  /** The data was made with another S. */
  public record OtherShardCount(int shardCount) implements Result {}

  /** The call came too late. */
  public record Expired() implements Result {}

  /**
   * Freezes.
   *
   * @param fence its epoch is the claimed one
   */
  public static Future<Result> run(
      RedisLink link, Fence fence, RedisKeys keys, int shardCount, long timeoutMs) {
    return SCRIPT
        .run(link, fence, List.of(keys.head()), List.of(Integer.toString(shardCount)), timeoutMs)
        .map(FreezeShard::resultOf);
  }

  private static Result resultOf(Response reply) {
    return switch (reply.get(0).toString()) {
      case "OK" ->
          new Frozen(
              reply.get(1).toLong(),
              reply.get(2).toLong(),
              reply.get(3).toInteger() == 1,
              reply.get(4).toInteger() == 1);
      case "STALE" -> new Stale(reply.get(1).toLong());
      case "OTHER_S" -> new OtherShardCount(reply.get(1).toInteger());
      case "EXPIRED" -> new Expired();
      default -> throw new IllegalStateException("freeze_shard answered " + reply.get(0));
    };
  }
}

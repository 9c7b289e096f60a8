package io.seckill.lua;

import io.seckill.common.bus.SalesRecord;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.Optional;

/** {@code read_head.lua}: tells where a shard stands. */
public final class ReadHead {

  private static final Script SCRIPT = Script.load("read_head");

  private ReadHead() {}

  /**
   * A shard's head.
   *
   * @param epoch the present epoch
   * @param seq the last entry's number in it
   * @param runId run id of the server that the shard was opened on
   * @param state OPEN, REPAIRING or FROZEN
   * @param shardCount S
   * @param progress steps of a repair that is under way; 0 outside one
   * @param sales the stop switch as the shard knows it
   * @param unstored numbers that the log holds still, of this epoch and of earlier ones, exact to
   *     the length of one entry
   */
  public record Head(
      long epoch,
      long seq,
      String runId,
      HeadState state,
      int shardCount,
      long progress,
      SalesRecord sales,
      long unstored) {}

  /** The states of a head. */
  public enum HeadState {
    /** Sells. */
    OPEN,
    /** Is being opened. */
    REPAIRING,
    /** Has lost keys and must be opened again. */
    FROZEN
  }

  /** Reads it; empty when the server has no such head. */
  public static Future<Optional<Head>> run(RedisLink link, RedisKeys keys, long timeoutMs) {
    return SCRIPT
        .run(link, link.fence(0, timeoutMs), List.of(keys.head()), List.of(), timeoutMs)
        .map(ReadHead::resultOf);
  }

  private static Optional<Head> resultOf(Response reply) {
    if (reply.get(0).toString().equals("MISSING")) {
      return Optional.empty();
    }
    return Optional.of(
        new Head(
            reply.get(1).toLong(),
            reply.get(2).toLong(),
            reply.get(3).toString(),
            HeadState.valueOf(reply.get(4).toString()),
            reply.get(5).toInteger(),
            reply.get(6).toLong(),
            SalesFields.read(reply, 7),
            reply.get(9).toLong()));
  }
}

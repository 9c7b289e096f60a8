package io.seckill.lua;

import io.vertx.redis.client.Response;
import java.util.Arrays;

/**
 * What a script that makes one change of an item or a shard says.
 *
 * @param status the first word
 * @param detail its second element as text, empty when there is none; see the script
 * @param promoted waiters who got a unit by this change, where units came into stock
 * @param left waiters whose turn came by this change and who left the line at their limit
 */
public record StepResult(Status status, String detail, long promoted, long left) {

  /** Of a change that lets nobody in. */
  public StepResult(Status status, String detail) {
    this(status, detail, 0, 0);
  }

  /** The words of such scripts. */
  public enum Status {
    /** Done; the detail is the log entry where there is one. */
    OK,
    /** Was done before; nothing changed. */
    ALREADY,
    /** A newer generation is there; the detail is its number. */
    STALE,
    /** An earlier move is missing; the detail is the last one applied. */
    GAP,
    /** The item is not known here, or has no units yet and cannot open. */
    NOT_READY,
    /** Done in part: the same call again goes on. */
    MORE,
    /** The call named another group of an item than the shard knows. */
    GROUP,
    /** There is no such win. */
    NOT_FOUND,
    /** Keys that must be there are not: the shard is frozen. */
    LOST,
    /** Redis refused the log entry. */
    NOT_WRITTEN,
    /** See {@link FenceStatus#FENCED}. */
    FENCED,
    /** See {@link FenceStatus#FROZEN}. */
    FROZEN,
    /** See {@link FenceStatus#EXPIRED}. */
    EXPIRED,
    /** The consumer group is not there. */
    NOGROUP
  }

  static StepResult of(Response reply) {
    String word = reply.get(0).toString();
    return Arrays.stream(Status.values())
        .filter(status -> status.name().equals(word))
        .findFirst()
        .map(status -> new StepResult(status, reply.size() > 1 ? reply.get(1).toString() : ""))
        .orElseThrow(() -> new IllegalStateException("a script answered " + word));
  }

  /** Of a script that tells how many waiters it let in and how many left. */
  static StepResult ofUnitsIn(Response reply) {
    StepResult result = of(reply);
    return result.status == Status.OK
        ? new StepResult(result.status, result.detail, reply.get(2).toLong(), reply.get(3).toLong())
        : result;
  }

  /** Whether the change is there now. */
  public boolean isDone() {
    return status == Status.OK || status == Status.ALREADY;
  }
}

package io.seckill.common.audit;

/**
 * A broken promise, with amount and place.
 *
 * @param promise which one: I1, I2, I3 or I4
 * @param place item, shard, user or win, as precise as is known
 * @param amount units or entries that are wrong; its sign says the direction, positive is too many
 * @param detail one sentence for people
 */
public record Finding(String promise, String place, long amount, String detail) {}

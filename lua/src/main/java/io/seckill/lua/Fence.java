package io.seckill.lua;

/**
 * What every script call carries first. Made by {@link RedisLink#fence}, because identity and clock
 * belong to the connection that the call goes out on.
 *
 * @param epoch the epoch that the caller believes in
 * @param runId identity of the connected server, see {@link RedisLink#runId}
 * @param notAfterMs Redis time after which the script refuses to start
 */
public record Fence(long epoch, String runId, long notAfterMs) {}

package io.seckill.lua;

/**
 * How long a call is held back until replicas have what it did.
 *
 * @param replicas how many, 1 or more
 * @param waitMs at most this long; less than the call's own time-out
 */
public record ReplicaWait(int replicas, long waitMs) {}

package io.seckill.common.bus;

/**
 * Step 6 of opening a shard: the row says OPEN. Refused as CONFLICT when another claim came later.
 *
 * @param region the region's number
 * @param shard the shard
 * @param epoch the claimed epoch
 */
public record ShardOpen(int region, int shard, long epoch) {}

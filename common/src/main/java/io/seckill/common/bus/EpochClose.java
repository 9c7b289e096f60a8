package io.seckill.common.bus;

/**
 * Step 4 of opening a shard: close all earlier epochs, the last at Redis' own seq. From then on
 * consumers refuse what lies beyond.
 *
 * @param region the region's number
 * @param shard the shard
 * @param epoch the claimed epoch; refused as CONFLICT when another claim came later
 * @param redisEpoch the epoch that Redis' head had, 0 when it was missing
 * @param redisSeq the seq that Redis' head had, 0 when it was missing
 */
public record EpochClose(int region, int shard, long epoch, long redisEpoch, long redisSeq) {}

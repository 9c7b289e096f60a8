package io.seckill.common.bus;

/**
 * Step 1 of opening a shard: compare-and-set its row to REPAIRING under the next epoch. The claim
 * is the lease.
 *
 * @param region the region's number
 * @param shard the shard
 * @param seenEpoch the highest epoch that the engine knows, from Redis' head (0 when it is missing)
 *     or an earlier claim; the new epoch is above it and above the row's
 * @param node who claims, for operators
 */
public record ShardClaim(int region, int shard, long seenEpoch, String node) {}

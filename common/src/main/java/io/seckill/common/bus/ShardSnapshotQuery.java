package io.seckill.common.bus;

/**
 * Asks the ledger what a shard must hold, for writing it anew. Meant for a claimed shard whose
 * earlier epochs are closed.
 *
 * @param region the region's number
 * @param shard the shard
 * @param lastEpoch the epoch that Redis had decided under, 0 when it knew none
 */
public record ShardSnapshotQuery(int region, int shard, long lastEpoch) {}

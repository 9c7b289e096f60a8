package io.seckill.common.bus;

/**
 * The claim holds.
 *
 * @param epoch the epoch that the shard will open under; every repair write carries it
 * @param ledgerEpoch the epoch of the row before
 */
public record ShardClaimed(long epoch, long ledgerEpoch) {}

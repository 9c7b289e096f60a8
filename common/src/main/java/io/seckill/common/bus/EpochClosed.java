package io.seckill.common.bus;

/**
 * The earlier epochs are closed; what follows is one snapshot of the ledger.
 *
 * @param storedBeyond entries stored beyond Redis' own (epoch, seq): what Redis has forgotten
 * @param storedInAll entries ever stored for this shard
 */
public record EpochClosed(long storedBeyond, long storedInAll) {}

package io.seckill.common.bus;

/**
 * The earlier epochs are closed; what follows is one snapshot of the ledger. A shard whose Redis
 * has forgotten something, or holds a surplus, is not whole: it is written anew from stored rows.
 *
 * @param forgot whether an entry that counts is stored beyond Redis' own (epoch, seq)
 * @param everStored whether any entry of this shard was ever stored
 * @param surplus whether Redis holds entries of an epoch beyond the number at which that epoch is
 *     closed: they never happened, or are FAILED(LOST)
 * @param sales the stop switch, which the shard has to know before it opens
 */
public record EpochClosed(boolean forgot, boolean everStored, boolean surplus, SalesRecord sales) {}
